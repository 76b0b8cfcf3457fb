import { execFile } from 'node:child_process';
import { mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Cluster, dataFolderOf } from '../../../../src/ledger/postgres/cluster.ts';
import { initCluster } from '../../../../src/ledger/postgres/init-cluster.ts';

const run = promisify(execFile);

/** Gives a cluster data as `initCluster` does, but made once per run and copied, for tests of other things. */
export async function giveData(cluster: Cluster): Promise<void> {
  const template = join(tmpdir(), 'paydrop-made-cluster');
  if (!(await isThere(template))) await makeTemplate(cluster, template);
  const target = dataFolderOf(cluster);
  await run('cp', ['-a', template, target]);
  if (cluster.user) await run('chown', ['-R', `${cluster.user.uid}:${cluster.user.gid}`, target]);
}

/** The first of two concurrent processes wins. */
async function makeTemplate(cluster: Cluster, template: string): Promise<void> {
  await initCluster(cluster);
  const draft = await mkdtemp(`${template}-`);
  await run('cp', ['-a', dataFolderOf(cluster), join(draft, 'data')]);
  await rename(join(draft, 'data'), template).catch(() => {});
  await rm(draft, { recursive: true, force: true });
  await rm(dataFolderOf(cluster), { recursive: true });
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
