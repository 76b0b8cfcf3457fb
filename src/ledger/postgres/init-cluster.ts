import { randomBytes } from 'node:crypto';
import { access, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../kernel/errors.ts';
import { syncFolderNow } from '../../kernel/folders.ts';
import { type Cluster, type ClusterPlace, dataFolderOf, startFailed } from './cluster.ts';
import { runProgram } from './run-program.ts';
import { isAlive } from './postmaster-file.ts';

/**
 * Returns whether the cluster was initialized. The data folder appears by one rename, so it is complete once it exists.
 */
export async function hasData(place: ClusterPlace): Promise<boolean> {
  try {
    await access(join(dataFolderOf(place), 'PG_VERSION'));
    return true;
  } catch (error) {
    // Any other error, such as a disk error, must not pass for a missing cluster.
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Creates the cluster with its database in a draft folder, and renames it at the end. Of several processes at once, the
 * first wins and the others discard theirs. A process that dies midway leaves nothing that passes for a ledger.
 */
export async function initCluster(cluster: Cluster): Promise<void> {
  const draft = `init-${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    await runInitdb(cluster, draft);
    await createDatabase(cluster, draft);
    await publishData(cluster, draft);
  } finally {
    await rm(join(cluster.home, draft), { recursive: true, force: true });
    await removeAbandonedDrafts(cluster);
  }
}

async function runInitdb(cluster: Cluster, draft: string): Promise<void> {
  await run(cluster, 'initdb', [
    `--pgdata=${draft}`,
    '--username=paydrop',
    '--auth-local=trust',
    '--auth-host=reject',
    '--encoding=UTF8',
    '--locale=C',
    // Upper and lower case of all letters, from PostgreSQL's own tables: the same on every machine.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    ...(cluster.fsync ? [] : ['--no-sync']),
  ]);
}

/** Uses single-user mode, where a failed statement exits with status 0 unless told to exit on errors. */
async function createDatabase(cluster: Cluster, draft: string): Promise<void> {
  const words = ['--single', '-D', draft, '-c', 'exit_on_error=true', ...(cluster.fsync ? [] : ['-F']), 'template1'];
  await run(cluster, 'postgres', words, 'CREATE DATABASE paydrop;\n');
}

async function run(cluster: Cluster, program: string, words: readonly string[], input?: string): Promise<void> {
  const path = join(await cluster.findPrograms(), program);
  const { status, output } = await runProgram(path, words, {
    user: cluster.user,
    folder: cluster.home,
    ...(input !== undefined && { input }),
  });
  if (status !== 0) throw startFailed(cluster.home, output);
}

async function publishData(cluster: Cluster, draft: string): Promise<void> {
  try {
    await rename(join(cluster.home, draft), dataFolderOf(cluster));
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '')) throw error;
    return;
  }
  if (cluster.fsync) syncFolderNow(cluster.home);
  cluster.log.info({ home: cluster.home }, 'embedded PostgreSQL initialised');
}

/** Removes drafts of processes that died midway; each takes 40 MB. */
async function removeAbandonedDrafts(cluster: Cluster): Promise<void> {
  for (const name of await readdir(cluster.home)) {
    const pid = /^init-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid)))
      await rm(join(cluster.home, name), { recursive: true, force: true });
  }
}
