import { escapeLiteral, type PoolClient } from 'pg';
import { BATCH_MOVES, FILE_MOVES, PROFILE_MOVES, REPROCESS_MOVES, RUN_MOVES } from '../../../schemas/lifecycle.ts';
import { PipelineError, systemCode } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { dropUnusedFunctions, inspectFunctions, makeFunctions, refuseForeignFunctions } from './functions.ts';
import { inVersionOrder, listMigrations, readMigration, TABLES } from './schema.ts';
import { inSchemaLock, isReadOnly, LOCK_NOT_AVAILABLE } from './schema-lock.ts';
import type { Queryable } from './transaction.ts';

/** Longest wait for a table in use, in ms, and the number of tries. */
const LOCK_MS = 5_000;
const LOCK_TRIES = 3;

/**
 * Brings the database to the schema of this version, in one transaction: the tables by the missing migrations, the
 * functions anew. An advisory lock lets one process do it while others wait. Afterwards, without that
 * lock, it drops functions that no process uses: a forgotten transaction among them must not stop other starts.
 * @throws PipelineError LEDGER_UNREACHABLE when our settings do not reach the connection, a table stays in use, or the
 *   functions cannot be trusted or made; LEDGER_NEWER, see `refuseNewer`
 * @param lockMs for tests
 */
export async function migrate(client: PoolClient, log: Log, lockMs = LOCK_MS): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await refuseForeignFunctions(client);
      await migrateOnce(client, log, lockMs);
      return await dropUnusedFunctions(client, log);
    } catch (error) {
      if (systemCode(error) !== LOCK_NOT_AVAILABLE) throw error;
      if (tries === LOCK_TRIES) throw await tableInUse(client, error);
    }
  }
}

function migrateOnce(client: PoolClient, log: Log, lockMs: number): Promise<void> {
  return inSchemaLock(client, async () => {
    await refuseNewer(client);
    if (!(await isWhole(client))) {
      await client.query(`SET LOCAL lock_timeout = ${lockMs}`);
      await buildSchema(client, log);
    }
  });
}

async function tableInUse(client: PoolClient, cause: unknown): Promise<PipelineError> {
  const { rows } = await client.query<{ pid: number; name: string; since: Date }>(
    `SELECT pid, application_name AS name, xact_start AS since FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL ORDER BY xact_start LIMIT 1`,
  );
  const [oldest] = rows;
  const who = oldest
    ? `; the oldest transaction is that of process ${oldest.pid} of the server (${oldest.name || 'no name'}) since ${oldest.since.toISOString()}`
    : '';
  const reason = `a table that the update must change is in use${who}`;
  return new PipelineError('LEDGER_UNREACHABLE', 'bring the ledger up to date', reason, {
    next: 'End that transaction, or wait until it is over, and start again. Nothing was changed.',
    cause,
  });
}

/**
 * Refuses a ledger with migrations that this version does not know: its reads and its writes could be wrong.
 * @throws PipelineError LEDGER_NEWER
 */
export async function refuseNewer(client: Queryable): Promise<void> {
  refuseUnknown(await listApplied(client));
}

/** Does the same with the names that `readApplied` returned. */
export function refuseUnknown(applied: readonly string[]): void {
  const known = new Set(listMigrations());
  const stranger = applied.find((name) => !known.has(name));
  if (stranger === undefined) return;
  throw new PipelineError(
    'LEDGER_NEWER',
    'open the ledger',
    `"${stranger}" was applied to it, but this version does not know it`,
  );
}

/**
 * Creates the schema, or its missing parts, in the caller's transaction, and the functions of this version.
 * @throws PipelineError LEDGER_UNREACHABLE, see `makeFunctions`
 */
export async function buildSchema(client: PoolClient, log: Log): Promise<void> {
  await buildTables(client, listMigrations());
  await addLegalMoves(client, await findMissingMoves(client));
  await makeFunctions(client, log);
}

/** Creates the tables as of these migrations, or what is missing of them, in the caller's transaction. */
export async function buildTables(client: PoolClient, wanted: readonly string[]): Promise<void> {
  const missing = await findMissingMigrations(client, wanted);
  await client.query(`CREATE SCHEMA IF NOT EXISTS paydrop;\n${stepsTo(missing, wanted)}`);
}

/** Returns the statements for the missing migrations. An empty ledger gets the tables as they are now. */
function stepsTo(missing: readonly string[], wanted: readonly string[]): string {
  const isNew = missing.length === wanted.length;
  const isPresent = wanted.length === listMigrations().length;
  const texts = isNew && isPresent ? [TABLES] : missing.map(readMigration);
  const records = missing.map((name) => `INSERT INTO migration (name) VALUES (${escapeLiteral(name)});`);
  return [...texts, ...records].join('\n');
}

/** Returns whether the database lacks nothing. One that is read-only can be read without moves that it lacks. */
async function isWhole(client: PoolClient): Promise<boolean> {
  if ((await findMissingMigrations(client)).length > 0) return false;
  const isComplete =
    (await findMissingMoves(client)).length === 0 && (await inspectFunctions(client)).state === 'whole';
  return isComplete || (await isReadOnly(client));
}

/** Returns the migrations that the database lacks, in order; all of them when it has no ledger yet. */
export async function findMissingMigrations(client: Queryable, files?: readonly string[]): Promise<string[]> {
  return missingFrom(await listApplied(client), files);
}

/** Returns those that are not among the applied ones, in order. */
export function missingFrom(applied: readonly string[], files?: readonly string[]): string[] {
  const done = new Set(applied);
  return inVersionOrder(files ?? listMigrations()).filter((file) => !done.has(file));
}

async function listApplied(client: Queryable): Promise<string[]> {
  const { rows: found } = await client.query<{ isThere: boolean }>(
    `SELECT to_regclass('migration') IS NOT NULL AS "isThere"`,
  );
  return found[0]?.isThere ? readApplied(client) : [];
}

/**
 * Returns the migrations that were applied to a ledger; without one, the query fails. It names the schema: a view of a
 * stranger must not stand in for the table.
 */
export async function readApplied(client: Queryable): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('SELECT name FROM paydrop.migration ORDER BY name');
  return rows.map((row) => row.name);
}

type LegalMove = readonly [entity: string, from: string | null, to: string, name: string];

/** The moves of schemas/lifecycle.ts. The database has a copy and refuses all others. */
const LEGAL_MOVES: readonly LegalMove[] = [
  ...FILE_MOVES.map(({ from, to, name }) => ['file', from, to, name] as const),
  ...BATCH_MOVES.map(({ from, to, name }) => ['batch', from, to, name] as const),
  ...RUN_MOVES.map(({ from, to, name }) => ['run', from, to, name] as const),
  ...PROFILE_MOVES.map(({ from, to, name }) => ['profile', from, to, name] as const),
  ...REPROCESS_MOVES.map(({ from, to, name }) => ['reprocess', from, to, name] as const),
];

/** Moves are only added: another version may use the same ledger. */
async function findMissingMoves(client: Queryable): Promise<LegalMove[]> {
  const { rows } = await client.query<{ entity: string; from_state: string | null; to_state: string; name: string }>(
    'SELECT entity, from_state, to_state, name FROM legal_move',
  );
  const present = new Set(rows.map((row) => JSON.stringify([row.entity, row.from_state, row.to_state, row.name])));
  return LEGAL_MOVES.filter((move) => !present.has(JSON.stringify(move)));
}

async function addLegalMoves(client: Queryable, moves: readonly LegalMove[]): Promise<void> {
  if (moves.length === 0) return;
  await client.query(`SELECT set_config('paydrop.adds_moves', 'on', true)`);
  const columns = [0, 1, 2, 3].map((place) => moves.map((move) => move[place]));
  await client.query(
    'INSERT INTO legal_move (entity, from_state, to_state, name) SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])',
    columns,
  );
}
