import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { handClock } from '../../../src/kernel/clock.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { openLedger } from '../../../src/ledger/engine/open-ledger.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { queryInOne } from '../../../src/ledger/engine/query-together.ts';
import { startTestPostgres } from '../../support/postgres.ts';
import { type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger({ sessions: 'ended' });
});
afterAll(() => world.close());

const options = { clock: handClock(START), log: silentLog() };

async function show(setting: string): Promise<string> {
  const { rows } = await world.ledger.pool.query(`SELECT current_setting($1) AS value`, [setting]);
  return rows[0].value;
}

describe('openLedger', () => {
  it.each([
    ['search_path', 'paydrop'],
    ['TimeZone', 'UTC'],
    ['DateStyle', expect.stringMatching(/^ISO/)],
    ['idle_in_transaction_session_timeout', '1min'],
  ])('asks for %s = %s in every session', async (setting, value) => {
    expect(await show(setting)).toEqual(value);
  });

  it('leaves the database as it is for those who only look', async () => {
    const empty = await startTestPostgres({ schema: 'empty' });
    const ledger = await openLedger({ url: empty.url }, { ...options, asIs: true });
    const { rows } = await ledger.pool.query(`SELECT FROM pg_namespace WHERE nspname = 'paydrop'`);
    expect(rows).toHaveLength(0);
    await ledger.close();
    await empty.stop();
  });

  it('waits for the disk at every commit, although the server is set up not to', async () => {
    const { rows } = await world.ledger.pool.query(
      `SELECT reset_val, source, (SELECT setting FROM pg_file_settings WHERE name = 'synchronous_commit') AS of_server
       FROM pg_settings WHERE name = 'synchronous_commit'`,
    );
    expect(rows).toEqual([{ reset_val: 'on', source: 'client', of_server: 'off' }]);
  });

  it('reads integers of 64 bits as numbers, times as dates, bytes and JSON as they are', async () => {
    const { rows } = await world.ledger.pool.query(
      `SELECT 9000000000000::bigint AS cents, count(*) AS count, '2026-06-15 12:00:00.123+02'::timestamptz AS at,
              '\\x00ff'::bytea AS bytes, '{"rows": 2}'::jsonb AS control, NULL::bigint AS nothing`,
    );
    expect(rows).toEqual([
      {
        cents: 9_000_000_000_000,
        count: 1,
        at: new Date('2026-06-15T10:00:00.123Z'),
        bytes: Buffer.from([0, 255]),
        control: { rows: 2 },
        nothing: null,
      },
    ]);
  });

  it('brings a moment back as it was written', async () => {
    const at = new Date('2026-03-29T01:30:00.999Z');
    const { rows } = await world.ledger.pool.query('SELECT $1::timestamptz AS at', [at]);
    expect(rows).toEqual([{ at }]);
  });

  it('leaves no connection behind', async () => {
    const ledger = await openLedger({ url: world.url }, options);
    const pids = await Promise.all(
      [ledger.pool, ledger.locks].map(async (pool) => (await pool.query('SELECT pg_backend_pid() AS pid')).rows[0].pid),
    );
    await ledger.close();
    const alive = async () =>
      (await world.ledger.pool.query('SELECT pid FROM pg_stat_activity WHERE pid = ANY ($1)', [pids])).rows;
    await expect.poll(alive, { interval: 5 }).toEqual([]);
  });

  it('takes texts that PostgreSQL can keep nowhere, in every kind of statement', async () => {
    const { pool } = world.ledger;
    const odd = 'A\u0000B';
    const kept = 'A\ufffdB';
    expect((await pool.query('SELECT $1::text AS text, $2::text[] AS texts', [odd, [odd, 'x']])).rows).toEqual([
      { text: kept, texts: [kept, 'x'] },
    ]);
    const told = await transact(world.ledger, (tx) => tx.client.query('SELECT $1::text AS text', [odd]));
    expect(told.rows).toEqual([{ text: kept }]);
    const [asked] = await transact(world.ledger, (tx) =>
      queryInOne(tx, ({ client }) => [client.query('SELECT $1::text AS text', [odd])]),
    );
    expect(asked.rows).toEqual([{ text: kept }]);
    expect((await pool.query('SELECT $1::bytea AS bytes', [Buffer.from(odd)])).rows[0].bytes).toEqual(Buffer.from(odd));
  });

  it('outlives the loss of every connection', async () => {
    const ledger = await openLedger({ url: world.url }, options);
    onTestFinished(() => ledger.close());
    await Promise.all(Array.from({ length: 3 }, () => ledger.pool.query('SELECT 1')));
    await world.ledger.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE 'paydrop%'`,
    );
    await expect.poll(() => ledger.pool.totalCount, { interval: 5 }).toBe(0);
    expect((await ledger.pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it.each([
    ['no server', 'postgres://ada:canary-password@127.0.0.1:1/paydrop'],
    ['no such folder', 'postgres://ada:canary-password@/paydrop?host=/nonexistent'],
  ])('says LEDGER_UNREACHABLE where there is %s, and no password', async (_case, url) => {
    const failure = await openLedger({ url }, options).catch((error: unknown) => error as Error & { cause: unknown });
    expect(failure).toMatchObject({ code: 'LEDGER_UNREACHABLE' });
    const { message, stack, cause } = failure as Error;
    expect(`${message} ${stack} ${JSON.stringify(cause)} ${String(cause)}`).not.toContain('canary-password');
  });

  it('says LEDGER_UNREACHABLE where there is no such database', async () => {
    const url = world.url.replace(/\/test_\w+/, '/no_such_database');
    await expect(openLedger({ url }, options)).rejects.toMatchObject({ code: 'LEDGER_UNREACHABLE' });
  });

  it.each([
    ['would hide the ledger', '-c%20statement_timeout%3D0'],
    ['hide nothing, as where a pooler drops ours and the database has the search path', '-c%20search_path%3Dpaydrop'],
  ])('refuses an address whose own options %s', async (_case, own) => {
    const url = `${world.url}&options=${own}`;
    await expect(openLedger({ url }, options)).rejects.toMatchObject({
      code: 'LEDGER_UNREACHABLE',
      message: expect.stringContaining('Take "options" out of DATABASE_URL'),
    });
  });
});
