import pg, { escapeLiteral, type PoolClient } from 'pg';
import { BATCH_MOVES, FILE_MOVES, PROFILE_MOVES, REPROCESS_MOVES, RUN_MOVES } from '../../../schemas/lifecycle.ts';
import { PipelineError, systemCode } from '../../kernel/errors.ts';
import {
  FUNCTIONS,
  FUNCTIONS_PREFIX,
  FUNCTIONS_SCHEMA,
  inVersionOrder,
  listMigrations,
  readMigration,
  SEARCH_PATH,
  TABLES,
} from './schema.ts';
import type { Queryable } from './transaction.ts';

/** Longest wait for a table in use, in ms, and the number of tries. */
const LOCK_MS = 5_000;
const LOCK_TRIES = 3;

/** PostgreSQL could not get a lock in time. */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Brings the database to the schema of this version, in one transaction: the tables by the missing migrations, the
 * functions anew. An advisory lock lets one process do it while others wait.
 * @throws PipelineError LEDGER_UNREACHABLE when our settings do not reach the connection or a table stays in use;
 *   LEDGER_NEWER, see `refuseNewer`
 * @param lockMs for tests
 */
export async function migrate(client: PoolClient, lockMs = LOCK_MS): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await migrateOnce(client, lockMs);
    } catch (error) {
      if (systemCode(error) !== LOCK_NOT_AVAILABLE) throw error;
      if (tries === LOCK_TRIES) throw await tableInUse(client, error);
    }
  }
}

function migrateOnce(client: PoolClient, lockMs: number): Promise<void> {
  return inSchemaLock(client, async () => {
    await refuseNewer(client);
    if (!(await isWhole(client))) {
      await client.query(`SET LOCAL lock_timeout = ${lockMs}`);
      await buildSchema(client);
    }
    await dropUnusedFunctions(client);
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
  const known = new Set(listMigrations());
  const stranger = (await listApplied(client)).find((name) => !known.has(name));
  if (stranger === undefined) return;
  throw new PipelineError(
    'LEDGER_NEWER',
    'open the ledger',
    `"${stranger}" was applied to it, but this version does not know it`,
  );
}

/**
 * Runs `work` in a transaction that locks the schema. Meanwhile no other process builds it or opens the ledger, except
 * `asIs`, because opening begins with this lock.
 * @throws PipelineError LEDGER_UNREACHABLE when our settings do not reach the connection
 */
export async function inSchemaLock<Result>(client: pg.ClientBase, work: () => Promise<Result>): Promise<Result> {
  try {
    await client.query(`BEGIN; SELECT pg_advisory_xact_lock(hashtext('paydrop.migrate'))`);
    await checkSession(client);
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/**
 * Creates the schema, or its missing parts, in the caller's transaction, and the functions of this version.
 * @param wanted names of migrations, for an older schema; the newest if left out
 */
export async function buildSchema(client: PoolClient, wanted?: readonly string[]): Promise<void> {
  const missing = await findMissingMigrations(client, wanted);
  await client.query(`CREATE SCHEMA IF NOT EXISTS paydrop;\n${stepsTo(missing, wanted)}`);
  if (wanted) return;
  await addLegalMoves(client, await findMissingMoves(client));
  await makeFunctions(client);
}

/** Returns the statements for the missing migrations. An empty ledger gets the tables as they are now. */
function stepsTo(missing: readonly string[], wanted: readonly string[] = listMigrations()): string {
  const isNew = missing.length === wanted.length;
  const isPresent = wanted.length === listMigrations().length;
  const texts = isNew && isPresent ? [TABLES] : missing.map(readMigration);
  const records = missing.map((name) => `INSERT INTO migration (name) VALUES (${escapeLiteral(name)});`);
  return [...texts, ...records].join('\n');
}

/** Makes the functions of this version unless they are there. Everyone may call them: they act with the caller's rights. */
async function makeFunctions(client: Queryable): Promise<void> {
  if (await hasFunctions(client)) return;
  await client.query(
    `CREATE SCHEMA ${FUNCTIONS_SCHEMA}; GRANT USAGE ON SCHEMA ${FUNCTIONS_SCHEMA} TO PUBLIC;
     SET LOCAL search_path = ${FUNCTIONS_SCHEMA}, paydrop;\n${FUNCTIONS}\nSET LOCAL search_path = ${SEARCH_PATH}`,
  );
}

async function hasFunctions(client: Queryable): Promise<boolean> {
  const { rows } = await client.query<{ has: boolean }>('SELECT to_regnamespace($1) IS NOT NULL AS has', [
    FUNCTIONS_SCHEMA,
  ]);
  return rows[0]!.has;
}

/** Namespace of the advisory locks that say "a process uses the functions of this version". */
const FUNCTION_LOCKS = 7_006;

/**
 * Keeps the functions of this version for as long as the session of `client` lasts, and makes them if they are missing:
 * another version may have dropped them while no process used them. A server that is read-only keeps what it has.
 */
export async function keepFunctions(client: pg.ClientBase): Promise<void> {
  await lockFunctions(client);
  if ((await hasFunctions(client)) || (await isReadOnly(client))) return;
  await inSchemaLock(client, () => makeFunctions(client));
}

/** Keeps other versions from dropping the functions of this one, as long as the session of `client` lasts. */
export async function lockFunctions(client: pg.ClientBase): Promise<void> {
  await client.query('SELECT pg_advisory_lock_shared($1, hashtext($2))', [FUNCTION_LOCKS, FUNCTIONS_SCHEMA]);
}

/** Drops the functions of versions that no process uses any more, where this role and this server can. */
async function dropUnusedFunctions(client: Queryable): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT nspname AS name FROM pg_namespace WHERE nspname ~ '^${FUNCTIONS_PREFIX}[0-9a-f]+$' AND nspname <> $1
       AND pg_has_role(nspowner, 'USAGE') AND current_setting('transaction_read_only') = 'off'
       AND pg_try_advisory_xact_lock($2, hashtext(nspname))`,
    [FUNCTIONS_SCHEMA, FUNCTION_LOCKS],
  );
  for (const { name } of rows) await client.query(`DROP SCHEMA ${name} CASCADE`);
}

/** A setting of our own, which no database or role has. */
export const OUR_SESSION = 'paydrop.session';

/**
 * Checks that our session settings arrived. `options` in the address replace ours (open-ledger.ts), and a pooler drops
 * them. Then an empty ledger would be created in another schema. Commits might not wait for the disk, and locks would
 * belong to no particular process.
 */
async function checkSession(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ isOurs: boolean }>(
    `SELECT current_setting($1, true) = 'on' AND current_setting('search_path') = $2 AS "isOurs"`,
    [OUR_SESSION, SEARCH_PATH],
  );
  if (rows[0]?.isOurs) return;
  throw new PipelineError('LEDGER_UNREACHABLE', 'open the ledger', 'its sessions do not use the settings of paydrop', {
    next: 'Remove "options" from DATABASE_URL, and name the database itself there, not a pooler such as PgBouncer.',
  });
}

/** Returns whether the database lacks nothing. One that is read-only can be read without moves that it lacks. */
async function isWhole(client: PoolClient): Promise<boolean> {
  if ((await findMissingMigrations(client)).length > 0) return false;
  const isComplete = (await findMissingMoves(client)).length === 0 && (await hasFunctions(client));
  return isComplete || (await isReadOnly(client));
}

async function isReadOnly(client: Queryable): Promise<boolean> {
  const { rows } = await client.query<{ mode: string }>(`SELECT current_setting('transaction_read_only') AS mode`);
  return rows[0]?.mode === 'on';
}

/** Returns the migrations that the database lacks, in order; all of them when it has no ledger yet. */
export async function findMissingMigrations(client: Queryable, files?: readonly string[]): Promise<string[]> {
  const wanted = inVersionOrder(files ?? listMigrations());
  const done = new Set(await listApplied(client));
  return wanted.filter((file) => !done.has(file));
}

async function listApplied(client: Queryable): Promise<string[]> {
  const { rows: found } = await client.query<{ isThere: boolean }>(
    `SELECT to_regclass('migration') IS NOT NULL AS "isThere"`,
  );
  if (!found[0]?.isThere) return [];
  const { rows } = await client.query<{ name: string }>('SELECT name FROM migration ORDER BY name');
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
    'INSERT INTO legal_move SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])',
    columns,
  );
}
