import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { BATCH_MOVES, FILE_MOVES, PROFILE_MOVES, REPROCESS_MOVES, RUN_MOVES } from '../../../schemas/lifecycle.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { keepFunctions } from '../../../src/ledger/engine/functions.ts';
import { findMissingMigrations, migrate, refuseNewer } from '../../../src/ledger/engine/migrate.ts';
import { FUNCTIONS_SCHEMA, listMigrations, SEARCH_PATH } from '../../../src/ledger/engine/schema.ts';
import { OF_THIS_DATABASE } from '../../support/force-sql.ts';
import { openTestPool, startTestPostgres, type TestPostgres } from '../../support/postgres.ts';
import { startWorker } from '../support/start-worker.ts';

const OURS = `-c paydrop.session=on -c search_path=${SEARCH_PATH}`;

let postgres: TestPostgres;
let pool: pg.Pool;
beforeAll(async () => {
  postgres = await startTestPostgres({ schema: 'empty' });
  pool = openPool(OURS);
});
afterAll(async () => {
  await pool.end();
  await postgres.stop();
});

function openPool(options: string): pg.Pool {
  return openTestPool({ ...postgres.connection, options });
}

/** Opens a pool in a database of its own without a schema, for this test. */
async function openEmpty(): Promise<pg.Pool> {
  const own = await startTestPostgres({ schema: 'empty' });
  const other = openTestPool({ ...own.connection, application_name: 'a report', options: OURS });
  onTestFinished(async () => {
    await other.end();
    await own.stop();
  });
  return other;
}

async function run(from = pool): Promise<void> {
  const client = await from.connect();
  await migrate(client, silentLog()).finally(() => client.release());
}

/** Reads the columns and migrations, to compare one run with another. */
async function describeSchema() {
  const { rows } = await pool.query(
    `SELECT table_name, column_name, data_type FROM information_schema.columns
     WHERE table_schema = 'paydrop' ORDER BY table_name, ordinal_position`,
  );
  const migrations = await pool.query('SELECT name, applied_at FROM migration ORDER BY name');
  return { columns: rows, migrations: migrations.rows };
}

async function legalMoves(): Promise<unknown[][]> {
  const { rows } = await pool.query('SELECT entity, from_state, to_state, name FROM legal_move');
  return rows.map((row) => [row.entity, row.from_state, row.to_state, row.name]);
}

const LISTED = [
  ...FILE_MOVES.map(({ from, to, name }) => ['file', from, to, name]),
  ...BATCH_MOVES.map(({ from, to, name }) => ['batch', from, to, name]),
  ...RUN_MOVES.map(({ from, to, name }) => ['run', from, to, name]),
  ...PROFILE_MOVES.map(({ from, to, name }) => ['profile', from, to, name]),
  ...REPROCESS_MOVES.map(({ from, to, name }) => ['reprocess', from, to, name]),
];

describe('migrate', () => {
  it('lets two processes make the schema at once', async () => {
    const workers = await Promise.all([startWorker(postgres.url), startWorker(postgres.url)]);
    await Promise.all(workers.map((worker) => worker.ready()));
    await Promise.all(workers.map((worker) => worker.kill()));
    const { columns, migrations } = await describeSchema();
    expect(columns.filter((column) => column.table_name === 'batch')).not.toEqual([]);
    expect(migrations.map((row) => row.name)).toEqual(listMigrations());
    expect(await legalMoves()).toHaveLength(LISTED.length);
  });

  it('changes nothing when it runs again', async () => {
    await run();
    const first = await describeSchema();
    await run();
    expect(await describeSchema()).toEqual(first);
  });

  it('leaves a database that takes no changes as it is, as long as it lacks nothing', async () => {
    await run();
    const readOnly = openPool(`${OURS} -c default_transaction_read_only=on`);
    await run(readOnly);
    await readOnly.end();
  });

  it('loads the moves of the lifecycle, all of them and no others', async () => {
    await run();
    expect(await legalMoves()).toEqual(expect.arrayContaining(LISTED));
    expect(await legalMoves()).toHaveLength(LISTED.length);
  });

  it.each([
    [
      'to add a move',
      `INSERT INTO legal_move (entity, from_state, to_state, name) VALUES ('batch', 'unknown', 'ready', 'by-hand')`,
    ],
    ['to remove one', `DELETE FROM legal_move WHERE name = 'doubt'`],
    ['to bend one', `UPDATE legal_move SET to_state = 'submitted' WHERE name = 'doubt'`],
    ['to remove all', 'DELETE FROM legal_move'],
    ['to empty the list', 'TRUNCATE legal_move'],
  ])('refuses %s', async (_case, change) => {
    await run();
    await expect(pool.query(change)).rejects.toThrow('a newer version of paydrop');
    expect(await legalMoves()).toHaveLength(LISTED.length);
  });

  it('adds the moves that an older version did not know, and leaves those of a newer one', async () => {
    await run();
    const client = await pool.connect();
    await client.query(`ALTER TABLE legal_move DISABLE TRIGGER USER; DELETE FROM legal_move WHERE name = 'doubt';
      INSERT INTO legal_move (entity, from_state, to_state, name) VALUES ('batch', 'unknown', 'ready', 'newer'); ALTER TABLE legal_move ENABLE TRIGGER USER`);
    await migrate(client, silentLog());
    const moves = await legalMoves();
    await client.query(`ALTER TABLE legal_move DISABLE TRIGGER USER; DELETE FROM legal_move WHERE name = 'newer';
      ALTER TABLE legal_move ENABLE TRIGGER USER`);
    client.release();
    expect(moves).toEqual(expect.arrayContaining([...LISTED, ['batch', 'unknown', 'ready', 'newer']]));
  });

  it('refuses a ledger to which a newer version has done something, and changes nothing', async () => {
    await run();
    await pool.query(`INSERT INTO migration (name) VALUES ('9.9.9')`);
    const before = await describeSchema();
    const client = await pool.connect();
    const refusal = { code: 'LEDGER_NEWER', message: expect.stringContaining('9.9.9') };
    await expect(migrate(client, silentLog())).rejects.toMatchObject(refusal);
    await expect(refuseNewer(client)).rejects.toMatchObject(refusal);
    client.release();
    const after = await describeSchema();
    await pool.query(`DELETE FROM migration WHERE name = '9.9.9'`);
    expect(after).toEqual(before);
  });

  it('says who keeps a table that has to be changed, instead of waiting for ever', async () => {
    const other = await openEmpty();
    const [client, holder] = [await other.connect(), await other.connect()];
    await migrate(client, silentLog());
    await client.query(
      `ALTER TABLE legal_move DISABLE TRIGGER USER; DELETE FROM legal_move WHERE name = 'doubt'; ALTER TABLE legal_move ENABLE TRIGGER USER`,
    );
    await holder.query('BEGIN; LOCK TABLE legal_move IN SHARE MODE');
    await expect(migrate(client, silentLog(), 20)).rejects.toMatchObject({
      code: 'LEDGER_UNREACHABLE',
      message: expect.stringMatching(
        /is in use; the oldest transaction is that of process \d+ of the server \(a report\)/,
      ),
    });
    await holder.query('COMMIT');
    await migrate(client, silentLog(), 20);
    for (const one of [client, holder]) one.release();
  });

  it('does not write the moves again, nor wait for who uses them, when they are as they should be', async () => {
    await run();
    const reader = await pool.connect();
    await reader.query('BEGIN');
    const { rows: before } = await reader.query('SELECT xmin::text FROM legal_move FOR UPDATE');
    await run();
    await reader.query('ROLLBACK');
    const { rows: after } = await reader.query('SELECT xmin::text FROM legal_move');
    reader.release();
    expect(after).toEqual(before);
  });

  it('makes the functions in a schema of their own, which everyone may use', async () => {
    await run();
    const { rows } = await pool.query(
      `SELECT DISTINCT pronamespace::regnamespace::text AS place FROM pg_proc WHERE proname IN ('next_to_send', 'append_audit')`,
    );
    expect(rows).toEqual([{ place: FUNCTIONS_SCHEMA }]);
    const { rows: rights } = await pool.query('SELECT nspacl::text AS rights FROM pg_namespace WHERE nspname = $1', [
      FUNCTIONS_SCHEMA,
    ]);
    expect(rights[0].rights).toContain('=U/');
  });

  it('makes the functions anew where they are missing, and drops those that no process uses', async () => {
    await run();
    const user = await pool.connect();
    for (const name of ['paydrop_f_000000000001', 'paydrop_f_000000000002']) await pool.query(`CREATE SCHEMA ${name}`);
    await user.query(`SELECT pg_advisory_lock_shared(7006, hashtext('paydrop_f_000000000001'))`);
    await pool.query(`DROP SCHEMA ${FUNCTIONS_SCHEMA} CASCADE`);
    await run();
    const listed = async () =>
      (await pool.query(`SELECT nspname FROM pg_namespace WHERE nspname LIKE 'paydrop\\_f\\_%' ORDER BY 1`)).rows;
    expect(await listed()).toEqual(
      ['paydrop_f_000000000001', FUNCTIONS_SCHEMA].toSorted().map((nspname) => ({ nspname })),
    );
    await user.query('SELECT pg_advisory_unlock_all()');
    await pool.query(`DROP SCHEMA ${FUNCTIONS_SCHEMA} CASCADE`);
    await run();
    expect(await listed()).toEqual([{ nspname: FUNCTIONS_SCHEMA }]);
    user.release();
  });

  it('keeps the functions of a process that lives, and makes them again when it comes back', async () => {
    await run();
    const client = await pool.connect();
    await pool.query(`DROP SCHEMA ${FUNCTIONS_SCHEMA} CASCADE`);
    await keepFunctions(client, silentLog());
    const { rows } = await client.query(
      `SELECT to_regnamespace($1) IS NOT NULL AS made,
         EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = 7006 AND mode = 'ShareLock'
           AND ${OF_THIS_DATABASE}) AS kept`,
      [FUNCTIONS_SCHEMA],
    );
    await client.query('SELECT pg_advisory_unlock_all()');
    client.release();
    expect(rows).toEqual([{ made: true, kept: true }]);
  });

  it('leaves nothing behind when it fails', async () => {
    const other = openPool('-c search_path=elsewhere');
    await pool.query('CREATE SCHEMA elsewhere');
    await expect(run(other)).rejects.toMatchObject({
      code: 'LEDGER_UNREACHABLE',
      message: expect.stringContaining('Remove "options" from DATABASE_URL'),
    });
    await other.end();
    const { rows } = await pool.query(`SELECT 1 FROM information_schema.tables WHERE table_schema = 'elsewhere'`);
    expect(rows).toEqual([]);
  });
});

describe('findMissingMigrations', () => {
  it('names all of them where there is no ledger, and makes none', async () => {
    const other = await openEmpty();
    expect(await findMissingMigrations(other)).toEqual(listMigrations());
    const { rows } = await other.query(`SELECT FROM pg_namespace WHERE nspname = 'paydrop'`);
    expect(rows).toHaveLength(0);
  });

  it('names none when all were run', async () => {
    await run();
    expect(await findMissingMigrations(pool)).toEqual([]);
  });
});
