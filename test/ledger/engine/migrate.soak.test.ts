import { readdir } from 'node:fs/promises';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { BATCH_MOVES, FILE_MOVES, PROFILE_MOVES, REPROCESS_MOVES, RUN_MOVES } from '../../../schemas/lifecycle.ts';
import { buildSchema, findMissingMigrations, migrate, refuseNewer } from '../../../src/ledger/engine/migrate.ts';
import type { Ledger } from '../../../src/ledger/engine/open-ledger.ts';
import { verifyAudit } from '../../../src/ledger/overview/verify-audit.ts';
import { openTestPool, startTestPostgres, type TestPostgres } from '../../support/postgres.ts';
import { startWorker } from '../support/start-worker.ts';

const OURS = '-c paydrop.session=on -c search_path=paydrop';

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

/** Builds the schema as it was before the migration of this number. */
async function buildBefore(number: string, client: pg.PoolClient): Promise<void> {
  await buildSchema(
    client,
    (await listMigrations()).filter((name) => name < number),
  );
}

async function run(from = pool): Promise<void> {
  const client = await from.connect();
  await migrate(client).finally(() => client.release());
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

async function listMigrations(): Promise<string[]> {
  return (await readdir(new URL('../../../src/ledger/migrations/', import.meta.url))).sort();
}

async function legalMoves(): Promise<unknown[][]> {
  const { rows } = await pool.query('SELECT entity, from_state, to_state, name FROM legal_move');
  return rows.map((row) => [row.entity, row.from_state, row.to_state, row.name]);
}

/** A file of two batches with withheld rows in and between them, and another file that shares line 2. */
const OLDER_LEDGER = `
  ALTER TABLE file DISABLE TRIGGER USER;
  ALTER TABLE batch DISABLE TRIGGER USER;
  INSERT INTO file (file_id, account, folder, operation, name, state, state_at, bytes, sha256, completeness, claimed_at,
                    archive, charset)
    SELECT id, 'main', 'drop', 'card', id, 'accepted', now(), 1, id, 'quiet', now(), id, 'utf-8'
    FROM unnest('{a,b}'::text[]) id;
  INSERT INTO batch (file_id, batch_no, account, operation, state, state_at, rows, cents, body_sha256)
    SELECT 'a', n, 'main', 'card', 'ready', now(), 1, 1, '' FROM generate_series(1, 2) n;
  INSERT INTO payment_row (file_no, line, batch_no, amount_cents, invoice, customer_code, last_four)
    SELECT f.file_no, r.line, r.batch_no, r.cents, '', '', ''
    FROM file f, (VALUES (2, 1, 100), (3, NULL, 750), (4, 1, 100), (5, NULL, NULL), (6, 2, 100)) r (line, batch_no, cents)
    WHERE f.file_id = 'a' OR line = 2;
  UPDATE file SET invalid_rows = 2 WHERE file_id = 'a';
  ALTER TABLE file ENABLE TRIGGER USER;
  ALTER TABLE batch ENABLE TRIGGER USER`;

const LISTED = [
  ...FILE_MOVES.map(({ from, to, name }) => ['file', from, to, name]),
  ...BATCH_MOVES.map(({ from, to, name }) => ['batch', from, to, name]),
  ...RUN_MOVES.map(({ from, to, name }) => ['run', from, to, name]),
  ...PROFILE_MOVES.map(({ from, to, name }) => ['profile', from, to, name]),
  ...REPROCESS_MOVES.map(({ from, to, name }) => ['reprocess', from, to, name]),
  ['version', null, '0029', 'only-added-to'],
];

describe('migrate', () => {
  it('lets two processes make the schema at once', async () => {
    const workers = await Promise.all([startWorker(postgres.url), startWorker(postgres.url)]);
    await Promise.all(workers.map((worker) => worker.ready()));
    await Promise.all(workers.map((worker) => worker.kill()));
    const { columns, migrations } = await describeSchema();
    expect(columns.filter((column) => column.table_name === 'batch')).not.toEqual([]);
    expect(migrations.map((row) => row.name)).toEqual(await listMigrations());
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
    ['to add a move', `INSERT INTO legal_move VALUES ('batch', 'unknown', 'ready', 'by-hand')`],
    ['to remove one', `DELETE FROM legal_move WHERE name = 'doubt'`],
    ['to bend one', `UPDATE legal_move SET to_state = 'submitted' WHERE name = 'doubt'`],
    ['what older versions did to a list that they did not know', 'DELETE FROM legal_move'],
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
      INSERT INTO legal_move VALUES ('batch', 'unknown', 'ready', 'newer'); ALTER TABLE legal_move ENABLE TRIGGER USER`);
    await migrate(client);
    const moves = await legalMoves();
    await client.query(`ALTER TABLE legal_move DISABLE TRIGGER USER; DELETE FROM legal_move WHERE name = 'newer';
      ALTER TABLE legal_move ENABLE TRIGGER USER`);
    client.release();
    expect(moves).toEqual(expect.arrayContaining([...LISTED, ['batch', 'unknown', 'ready', 'newer']]));
  });

  it('refuses a ledger to which a newer version has done something, and changes nothing', async () => {
    await run();
    await pool.query(`INSERT INTO migration (name) VALUES ('9999-newer.sql')`);
    const before = await describeSchema();
    const client = await pool.connect();
    const refusal = { code: 'LEDGER_NEWER', message: expect.stringContaining('9999-newer.sql') };
    await expect(migrate(client)).rejects.toMatchObject(refusal);
    await expect(refuseNewer(client)).rejects.toMatchObject(refusal);
    client.release();
    const after = await describeSchema();
    await pool.query(`DELETE FROM migration WHERE name = '9999-newer.sql'`);
    expect(after).toEqual(before);
  });

  it('says who keeps a table that has to be changed, instead of waiting for ever', async () => {
    const other = await openEmpty();
    const [client, holder] = [await other.connect(), await other.connect()];
    await buildBefore('0029', client);
    await holder.query('BEGIN; SELECT FROM legal_move');
    await expect(migrate(client, 20)).rejects.toMatchObject({
      code: 'LEDGER_UNREACHABLE',
      message: expect.stringMatching(
        /is in use; the oldest transaction is that of process \d+ of the server \(a report\)/,
      ),
    });
    await holder.query('COMMIT');
    await migrate(client, 20);
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

  it('brings the batches, the withheld rows and the keys of an older ledger to their places', async () => {
    const client = await (await openEmpty()).connect();
    await buildBefore('0015', client);
    await client.query(OLDER_LEDGER);
    await client.query(`UPDATE file SET wrapped_key = 'an old key' WHERE file_id = 'a'`);
    await client.query(`UPDATE file SET name = 'moved' WHERE file_id = 'a'`);
    await migrate(client);
    const { rows } = await client.query('SELECT batch_no, first_line, last_line FROM batch ORDER BY batch_no');
    const { rows: files } = await client.query(
      'SELECT file_id, withheld_cents::int, withheld_unreadable FROM file ORDER BY file_id',
    );
    const secrets = await client.query(`SELECT file_id, wrapped_key FROM file_secret`);
    await client.query('CHECKPOINT');
    const left = await client.query(
      `SELECT position('an old key'::bytea IN pg_read_binary_file(pg_relation_filepath('file'))) AS place`,
    );
    client.release();
    expect(rows).toEqual([
      { batch_no: 1, first_line: 2, last_line: 4 },
      { batch_no: 2, first_line: 6, last_line: 6 },
    ]);
    expect(files).toEqual([
      { file_id: 'a', withheld_cents: 750, withheld_unreadable: 1 },
      { file_id: 'b', withheld_cents: 0, withheld_unreadable: 0 },
    ]);
    expect(secrets.rows).toEqual([{ file_id: 'a', wrapped_key: Buffer.from('an old key') }]);
    expect(left.rows).toEqual([{ place: 0 }]);
  });

  it('leaves the chain of links that all accounts shared, and begins those of accounts with its end', async () => {
    const other = await openEmpty();
    const client = await other.connect();
    await buildBefore('0046', client);
    const append = `SELECT append_audit(now(), 'system', NULL, NULL, 'export', NULL, NULL, 'to see', '{"account": "main"}')`;
    for (let link = 0; link < 3; link += 1) await client.query(append);
    await migrate(client);
    for (let link = 0; link < 2; link += 1) await client.query(append);
    const { rows } = await client.query('SELECT seq, chain, link_no FROM audit ORDER BY seq');
    const ledger = { pool: other } as unknown as Ledger;
    const whole = await verifyAudit(ledger);
    await client.query(`SET session_replication_role = replica; UPDATE audit SET reason = 'other' WHERE seq = 2`);
    const { breaks } = await verifyAudit(ledger);
    client.release();
    expect(rows.map(({ seq, chain, link_no: no }) => [Number(seq), chain, no && Number(no)])).toEqual([
      [1, null, null],
      [2, null, null],
      [3, null, null],
      [4, 'main', 1],
      [5, 'main', 2],
    ]);
    expect(whole.brokenAt).toBeUndefined();
    expect(whole.chains.map(({ chain, links }) => [chain, String(links)])).toEqual([
      [null, '3'],
      ['main', '2'],
    ]);
    expect(breaks.map(({ chain, seq }) => [chain, Number(seq)])).toEqual([[null, 2]]);
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
    expect(await findMissingMigrations(other)).toEqual(await listMigrations());
    const { rows } = await other.query(`SELECT FROM pg_namespace WHERE nspname = 'paydrop'`);
    expect(rows).toHaveLength(0);
  });

  it('names none when all were run', async () => {
    await run();
    expect(await findMissingMigrations(pool)).toEqual([]);
  });
});
