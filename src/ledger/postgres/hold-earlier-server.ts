import { spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from 'pg';
import { PipelineError, systemCode } from '../../kernel/errors.ts';
import {
  askServer,
  type Connection,
  isPostmaster,
  type Presence,
  PRESENCE_LOCK,
  readPostmasterFile,
  removeMisleadingFiles,
} from './ask-server.ts';
import { type Cluster, type ClusterPlace, DATA_NAME, ENVIRONMENT, runProgram, startFailed } from './cluster.ts';
import { majorOf } from './find-cluster.ts';
import { leaveServer } from './join-embedded-server.ts';
import { chooseSocketFolder, quoteListItem, waitForEnd } from './start-server.ts';

/** What fails, in messages. */
export const UPGRADE = 'upgrade the database';

/** How long processes that use the earlier database may take to leave, in ms. */
const PATIENCE_MS = 10_000;

/** Refuses programs of another major version of PostgreSQL. */
export async function mustBeOf(major: number, { findPrograms, user }: Cluster): Promise<void> {
  const folder = await findPrograms();
  const { output } = await runProgram(join(folder, 'postgres'), ['--version'], { user, folder: '/' });
  if (majorOf(/\(PostgreSQL\) (\d+)/.exec(output)?.[1] ?? '') === major) return;
  const reason = `the programs in "${folder}" are not of PostgreSQL ${major}`;
  const next = `Give the folder of PostgreSQL ${major} with --from.`;
  throw new PipelineError('NOT_FOUND', UPGRADE, reason, { next });
}

/** The earlier server, running read-only for one client. */
export type EarlierServer = { client: Client; connection: Connection };

/** Starts the earlier server read-only, and keeps all others out by taking their presence lock alone. */
export async function holdEarlier(earlier: Cluster): Promise<EarlierServer> {
  await waitUntilUnused(earlier);
  const { client, connection } = await startReadOnly(earlier);
  try {
    await client.query(`SELECT pg_advisory_unlock_shared(${PRESENCE_LOCK})`);
    const lock = `SELECT pg_try_advisory_lock(${PRESENCE_LOCK}) AS granted`;
    if ((await client.query<{ granted: boolean }>(lock)).rows[0]?.granted) return { client, connection };
    throw new PipelineError('LEDGER_IN_USE', UPGRADE);
  } catch (error) {
    await client.end().catch(() => {});
    await endServer(earlier);
    throw error;
  }
}

/** Stops a server that nobody uses, such as one that a killed process left behind. */
async function waitUntilUnused(earlier: Cluster): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await askServer(earlier);
    if (answer === 'absent') return;
    if (typeof answer === 'object') await leaveServer(earlier, answer);
    if (performance.now() > until) throw new PipelineError('LEDGER_IN_USE', UPGRADE);
    await wait(100);
  }
}

/** Starts it without writing to its folder what the server itself does not write. */
async function startReadOnly(earlier: Cluster): Promise<Presence> {
  await removeMisleadingFiles(earlier);
  const host = await chooseSocketFolder(earlier);
  const settings = {
    listen_addresses: '',
    port: 5432,
    unix_socket_directories: quoteListItem(host),
    default_transaction_read_only: 'on',
    logging_collector: 'off',
    fsync: earlier.fsync ? 'on' : 'off',
  };
  const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const program = join(await earlier.findPrograms(), 'postgres');
  const path = join(earlier.home, EARLIER_LOG);
  const log = await open(path, 'w', 0o600);
  const { user, home } = earlier;
  const server = spawn(program, ['-D', DATA_NAME, ...words], {
    cwd: home,
    env: ENVIRONMENT,
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    ...(user && { uid: user.uid, gid: user.gid }),
  });
  server.unref();
  let failure: Error | undefined;
  server.once('error', (error) => {
    failure = error;
  });
  await log.close();
  for (;;) {
    if (failure || server.exitCode !== null || server.signalCode !== null)
      throw startFailed(home, failure ?? (await readFile(path, 'utf8')));
    const answer = await askServer(earlier);
    if (typeof answer === 'object') {
      answer.client.ref();
      return answer;
    }
    await wait(50);
  }
}

/** Log of the earlier server, in the home folder, as long as the upgrade lasts. */
export const EARLIER_LOG = 'earlier-server.log';

/** Stops the server of a place if it runs, at once but cleanly. */
export async function endServer(place: ClusterPlace): Promise<void> {
  const file = await readPostmasterFile(place);
  if (!file || !(await isPostmaster(file.pid, place))) return;
  try {
    process.kill(file.pid, 'SIGINT');
  } catch (error) {
    // It ended by itself meanwhile.
    if (systemCode(error) !== 'ESRCH') throw error;
  }
  await waitForEnd(place, file.pid);
}
