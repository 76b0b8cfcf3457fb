import { readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { PoolClient } from 'pg';
import type { Clock } from '../../kernel/clock.ts';
import { crashPoint } from '../../kernel/crash-point.ts';
import { PipelineError, systemCode } from '../../kernel/errors.ts';
import { syncFolderNow } from '../../kernel/folders.ts';
import type { Log } from '../../kernel/log.ts';
import { type Ledger, openLedger } from '../engine/open-ledger.ts';
import { FUNCTIONS_PATTERN } from '../engine/schema.ts';
import { verifyAudit } from '../overview/verify-audit.ts';
import type { Connection } from '../postgres/ask-server.ts';
import {
  type Cluster,
  type ClusterPlace,
  dataFolderOf,
  isDiskFull,
  logFileOf,
  makePrivateFolder,
  replaceFile,
} from '../postgres/cluster.ts';
import {
  findCluster,
  hasData,
  majorOf,
  readMajor,
  refuseBetween,
  refuseOtherMajor,
  REPORT_NAME,
  upgradePlace,
} from '../postgres/find-cluster.ts';
import { EARLIER_LOG, endServer, holdEarlier, mustBeOf, UPGRADE } from '../postgres/hold-earlier-server.ts';
import { enterServer, INSTALLED, makeCluster, type Places } from '../postgres/join-embedded-server.ts';
import { findEarlierBinaries } from '../postgres/prepare-binaries.ts';
import { stopServer } from '../postgres/start-server.ts';
import { restoreBackup } from './restore-backup.ts';
import { inSnapshot, sumTables, type TableContent, writeBackup } from './write-backup.ts';

/** What was done, as the last step reports it. */
export type Upgraded = {
  from: number;
  to: number;
  tables: number;
  rows: number;
  /** Faults of the audit trail, which came along. */
  auditBreaks: number;
  /** Folder of the earlier data. */
  keptIn: string;
  /** What the database holds beside the ledger, and stays behind. */
  leftBehind: string[];
};

export type UpgradeOptions = {
  dataDir: string;
  /** Folder of the earlier programs; places of the operating system if left out. */
  from?: string;
  clock: Clock;
  log: Log;
  actor: string;
  fsync?: boolean;
  /** Called before each step. */
  say(step: string): void;
};

/**
 * Makes the embedded database anew with the PostgreSQL of this version, by a backup and a restore. The earlier one is
 * only read. Its server runs read-only, under the lock that keeps all others out, until none can be started from its
 * folder any more. So it cannot change after it was read. Then two renames put the new one in its place.
 *
 * Killed at any moment, it can be repeated: before the switch it begins anew, later it finishes. Between the renames there
 * is no database, and nothing makes one (`refuseOtherMajor`). One that an earlier version of paydrop made is refused. The
 * new ledger is closed, as after any restore.
 * @returns what was done, also when an earlier call did it; undefined when there is nothing to do
 * @throws PipelineError NOT_FOUND without the earlier programs, LEDGER_IN_USE, DISK_FULL, LEDGER_START_FAILED,
 *   LEDGER_OTHER_POSTGRES for data of a newer PostgreSQL; the earlier database is untouched then
 */
export async function upgradeDatabase(
  options: UpgradeOptions,
  places: Places = INSTALLED,
): Promise<Upgraded | undefined> {
  const binaries = await places.findBinaries();
  const place = await findCluster(options.dataDir, places.sharedFolder, options.log);
  await refuseBetween(place);
  const majors = { from: (await readMajor(place)) ?? 0, to: majorOf(binaries.version) };
  if (majors.from === 0 || majors.from === majors.to) return finish(place);
  // Throws for data of a newer PostgreSQL.
  if (majors.from > majors.to) await refuseOtherMajor(place, binaries.version);
  const found = await findEarlierBinaries(majors.from, options.from);
  const earlier = makeCluster(place, found, options, places.sharedFolder);
  const next = { ...makeCluster(place, binaries, options, places.sharedFolder), home: upgradePlace(place).home };
  await mustBeOf(majors.from, earlier);
  options.say(`Starting PostgreSQL ${majors.from}, read-only`);
  const held = await holdEarlier(earlier);
  try {
    const report = await moveLedger(held.connection, next, majors, options);
    options.say('Putting the new database in its place');
    await bar(place);
    crashPoint('upgrade.barred');
    return await putInPlace(place, report);
  } finally {
    await held.client.end().catch(() => {});
    // Nothing was moved: the earlier database stays as it was.
    if ((await readMajor(place)) === majors.from) {
      await endServer(place);
      await discard(place);
    }
  }
}

/** Finishes what an earlier call began, when its new data are whole. */
async function finish(place: ClusterPlace): Promise<Upgraded | undefined> {
  const report = await readReport(place);
  if (report) return putInPlace(place, report);
  if (!(await hasData(place)))
    throw new PipelineError('NOT_FOUND', UPGRADE, `there is no database in "${place.home}"`, {
      next: 'The first "paydrop start" makes one.',
    });
  await discard(place);
  return undefined;
}

/**
 * Nothing starts a server without this file: a server that runs while its folder moves would write its state
 * into the folder that takes its place.
 */
const VERSION_NAME = 'PG_VERSION';
const BARRED_NAME = 'PG_VERSION.barred';

async function bar(place: ClusterPlace): Promise<void> {
  const folder = dataFolderOf(place);
  await rename(join(folder, VERSION_NAME), join(folder, BARRED_NAME));
  syncFolderNow(folder);
}

/** Does what is left of the switch. A call that was killed has done some of it. */
async function putInPlace(place: ClusterPlace, report: Upgraded): Promise<Upgraded> {
  const kept = { ...place, home: report.keptIn };
  if (!(await hasData(place))) {
    if (await stat(join(dataFolderOf(place), BARRED_NAME)).catch(() => undefined)) {
      await endServer(place);
      await makePrivateFolder(kept.home, place.user);
      await rename(dataFolderOf(place), dataFolderOf(kept));
      syncFolderNow(kept.home);
    }
    syncFolderNow(place.home);
    crashPoint('upgrade.moved-aside');
    await rename(dataFolderOf(upgradePlace(place)), dataFolderOf(place));
    syncFolderNow(place.home);
  }
  crashPoint('upgrade.switched');
  const [barred, version] = [BARRED_NAME, VERSION_NAME].map((name) => join(dataFolderOf(kept), name));
  if (!(await hasData(kept))) await rename(barred!, version!);
  await discard(place);
  return report;
}

async function readReport(place: ClusterPlace): Promise<Upgraded | undefined> {
  try {
    return JSON.parse(await readFile(join(upgradePlace(place).home, REPORT_NAME), 'utf8')) as Upgraded;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Removes what the upgrade made beside the data. */
async function discard(place: ClusterPlace): Promise<void> {
  await endServer(upgradePlace(place));
  await rm(upgradePlace(place).home, { recursive: true, force: true });
  await rm(join(place.home, EARLIER_LOG), { force: true });
}

/** Makes the new database and fills it with the ledger of the earlier one. Its server has stopped when this returns. */
async function moveLedger(
  from: Connection,
  next: Cluster,
  majors: { from: number; to: number },
  options: UpgradeOptions,
): Promise<Upgraded> {
  const place = { ...next, home: join(next.home, '..') };
  const { say, clock, log, actor } = options;
  await discard(place);
  await makePrivateFolder(next.home, next.user);
  try {
    say('Copying the ledger into a backup');
    const path = join(next.home, 'ledger.backup');
    const copied = await copyLedger(from, path, options);
    crashPoint('upgrade.copied');
    say(`Making the database of PostgreSQL ${majors.to}`);
    const { client, connection } = await enterServer(next);
    const leftBehind = [...copied.beside];
    let auditBreaks = 0;
    if (copied.sums) {
      say('Restoring the ledger from the backup');
      const inspect = async (restored: PoolClient) => {
        mustEqual(copied.sums!, await sumTables(restored));
        const made = await readIndexes(restored);
        leftBehind.push(...copied.indexes.filter((name) => !made.includes(name)).map((name) => `index ${name}`));
      };
      const reason = `moved from PostgreSQL ${majors.from} to PostgreSQL ${majors.to}`;
      await restoreBackup({ url: urlOf(connection) }, path, { clock, log, actor, reason, replace: false, inspect });
      crashPoint('upgrade.restored');
      say('Checking the audit trail');
      auditBreaks = await withLedger(connection, options, async (ledger) => (await verifyAudit(ledger)).breaks.length);
    }
    await stopServer(next);
    await client.end().catch(() => {});
    const kept = join(place.home, `postgresql-${majors.from}`);
    const isTaken = await stat(dataFolderOf({ ...place, home: kept })).catch(() => undefined);
    const keptIn = isTaken ? `${kept}-${clock.now().toISOString().replaceAll(/\D/g, '')}` : kept;
    const tables = copied.sums?.length ?? 0;
    const rows = copied.sums?.reduce((sum, table) => sum + table.rows, 0) ?? 0;
    const report = { ...majors, tables, rows, auditBreaks, keptIn, leftBehind };
    await replaceFile(join(next.home, REPORT_NAME), JSON.stringify(report));
    syncFolderNow(next.home);
    crashPoint('upgrade.ready');
    return report;
  } catch (error) {
    const said = await readFile(logFileOf(next), 'utf8').catch(() => '');
    if (!isDiskFull(error) && !isDiskFull(said.slice(-LOG_END))) throw error;
    const advice = 'Free some space and try again. The earlier database was not changed.';
    throw new PipelineError('DISK_FULL', UPGRADE, undefined, { next: advice, cause: error });
  }
}

/** How much of the end of the new server's log is searched for the reason of a failure. */
const LOG_END = 4_000;

function urlOf({ host, port, user, database }: Connection): string {
  return `postgres://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}&sslmode=disable`;
}

async function withLedger<Result>(
  connection: Connection,
  { clock, log }: UpgradeOptions,
  work: (ledger: Ledger) => Promise<Result>,
): Promise<Result> {
  const ledger = await openLedger({ url: urlOf(connection) }, { clock, log, answerMs: 0, asIs: true });
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}

type Copied = { sums: TableContent[] | undefined; indexes: string[]; beside: string[] };

/** `sums` is undefined when there is no ledger in the database. */
function copyLedger(from: Connection, path: string, options: UpgradeOptions): Promise<Copied> {
  return withLedger(from, options, async (ledger) => {
    const { rows } = await ledger.pool.query<{ name: string }>(BESIDE);
    const beside = rows.map(({ name }) => name);
    const { rows: found } = await ledger.pool.query<{ is: boolean }>(
      `SELECT to_regclass('migration') IS NOT NULL AS is`,
    );
    if (!found[0]!.is) return { sums: undefined, indexes: [], beside };
    await writeBackup(ledger, path);
    return inSnapshot(ledger, async (client) => ({
      sums: await sumTables(client),
      indexes: await readIndexes(client),
      beside,
    }));
  });
}

/** What a backup does not have. The queue is rebuilt from the ledger. */
const BESIDE = `SELECT 'schema ' || nspname AS name FROM pg_namespace
    WHERE nspname !~ '^pg_' AND nspname !~ '${FUNCTIONS_PATTERN}' AND nspname NOT IN ('information_schema', 'public', 'paydrop', 'paydrop_queue')
  UNION ALL SELECT 'database ' || datname FROM pg_database WHERE NOT datistemplate AND datname NOT IN ('postgres', 'paydrop')
  UNION ALL SELECT 'setting ' || name FROM pg_file_settings WHERE sourcefile LIKE '%postgresql.auto.conf'
  ORDER BY 1`;

async function readIndexes(client: PoolClient): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT indexname AS name FROM pg_indexes WHERE schemaname = 'paydrop' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

function mustEqual(wanted: readonly TableContent[], found: readonly TableContent[]): void {
  const other = wanted.find(({ table, rows, sum }) => {
    const made = found.find((one) => one.table === table);
    return made?.rows !== rows || made.sum !== sum;
  });
  if (!other) return;
  const reason = `table "${other.table}" of the new database differs from the earlier one`;
  throw new PipelineError('BACKUP_BROKEN', UPGRADE, reason, { next: 'Nothing was changed. Report this error.' });
}
