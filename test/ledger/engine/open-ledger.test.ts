import { describe, expect, it, onTestFinished } from 'vitest';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { PipelineError } from '../../../src/kernel/errors.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { refreshStatistics } from '../../../src/ledger/engine/copy-in.ts';
import { explainRefusal, withRefusalExplained } from '../../../src/ledger/engine/explain-refusal.ts';
import { ALIVE_LOCKS } from '../../../src/ledger/engine/instance.ts';
import { inspectServer, openLedger } from '../../../src/ledger/engine/open-ledger.ts';
import { SEARCH_PATH } from '../../../src/ledger/engine/schema.ts';
import { storableJson, storableText } from '../../../src/ledger/engine/storable-text.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { openTestLedger, START } from '../../support/ledger-world.ts';
import { openTestPool, startTestPostgres } from '../../support/postgres.ts';

const world = openedForTests(() => openTestLedger({ sessions: 'ended' }));

const options = { clock: handClock(START), log: silentLog() };

async function show(setting: string): Promise<string> {
  const { rows } = await world.ledger.pool.query(`SELECT current_setting($1) AS value`, [setting]);
  return rows[0].value;
}

describe('openLedger', () => {
  it.each([
    ['search_path', SEARCH_PATH],
    ['TimeZone', 'UTC'],
    ['DateStyle', expect.stringMatching(/^ISO/)],
    ['bytea_output', 'hex'],
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

  describe('for a command that only reads', () => {
    const openToRead = ({ url }: { url: string }) => openLedger({ url }, { ...options, reads: true });

    it('has one connection, however much is asked at once, and is no process that others know', async () => {
      const ledger = await openToRead(world);
      const ask = async () => (await ledger.pool.query('SELECT pg_backend_pid() AS pid')).rows[0].pid as number;
      const [pid, ...others] = await Promise.all([ask(), ask(), ask()]);
      expect(others).toEqual([pid, pid]);
      const alive = `SELECT FROM pg_locks WHERE pid = $1 AND locktype = 'advisory' AND classid = ${ALIVE_LOCKS}`;
      expect((await ledger.pool.query(alive, [pid])).rowCount).toBe(0);
      expect(await ledger.instance.hasDuty('anything')).toBe(false);
      expect(ledger.instance.isSettled()).toBe(false);
      await ledger.close();
    });

    it('proves a session anew that takes the place of a lost one', async () => {
      const own = await startTestPostgres();
      const [ledger, other] = [await openToRead(own), await openLedger({ url: own.url }, options)];
      const lose = async () => {
        await other.pool.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%one_of_a_reader%'`,
        );
        await expect.poll(() => ledger.pool.totalCount, { interval: 5 }).toBe(0);
      };
      const ask = () => ledger.pool.query('SELECT 1 AS one_of_a_reader');
      await ask();
      await lose();
      expect((await ask()).rowCount).toBe(1);
      await other.pool.query(`INSERT INTO migration (name) VALUES ('99.0.0')`);
      await lose();
      await expect(ask()).rejects.toMatchObject({ code: 'LEDGER_NEWER' });
      await ledger.close();
      await other.close();
      await own.stop();
    });

    it('makes what is missing, as others do', async () => {
      const empty = await startTestPostgres({ schema: 'empty' });
      const ledger = await openToRead(empty);
      expect((await ledger.pool.query('SELECT FROM file')).rowCount).toBe(0);
      await ledger.close();
      await empty.stop();
    });

    it('refuses a ledger of a newer version', async () => {
      const newer = await startTestPostgres();
      const pool = openTestPool(newer.connection);
      await pool.query(`INSERT INTO paydrop.migration (name) VALUES ('99.0.0')`);
      await expect(openToRead(newer)).rejects.toMatchObject({ code: 'LEDGER_NEWER' });
      await pool.end();
      await newer.stop();
    });
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
      [ledger.pool, ledger.answers, ledger.locks].map(
        async (pool) => (await pool.query('SELECT pg_backend_pid() AS pid')).rows[0].pid,
      ),
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
      message: expect.stringContaining('Remove "options" from DATABASE_URL'),
    });
  });
});

describe('inspectServer', () => {
  it('tells what our sessions see', async () => {
    const server = await inspectServer(world.ledger);
    expect(server).toMatchObject({
      synchronousCommit: expect.stringMatching(/^o/),
      isStandby: false,
      now: expect.any(Date),
    });
    expect(server.versionNumber).toBeGreaterThanOrEqual(140_000);
    expect(server.version).toMatch(/^\d+/);
  });
});

describe('refreshStatistics', () => {
  // The planner knows nothing about brand-new tables.
  const fresh = openedForTests(() => openTestLedger({ schema: 'empty' }));

  /** Returns the planner's row estimate, -1 before it has one. */
  async function believedRows(): Promise<number> {
    const { rows } = await fresh.ledger.pool.query<{ rows: number }>(
      `SELECT reltuples AS rows FROM pg_class WHERE oid = 'payment_row'::regclass`,
    );
    return rows[0]!.rows;
  }

  it('tells the planner of many new rows, and leaves few to the server', async () => {
    await fresh.accepted({ batches: 2, rowsPerBatch: 10 });
    await refreshStatistics(fresh.ledger, 20, 21);
    expect(await believedRows()).toBe(-1);
    await refreshStatistics(fresh.ledger, 20, 20);
    expect(await believedRows()).toBe(20);
  });
});

function serverError(code: string): Error {
  return Object.assign(new Error('as user "pay" on host "db"'), { code });
}

describe('explainRefusal', () => {
  it.each([
    ['08P01', /pooler/],
    ['25006', /read-only/],
    ['42501', /lacks a permission/],
    ['53300', /no free connection/],
    ['28P01', /password/],
    ['58P01', /failed in itself/],
    ['XX000', /failed in itself/],
  ])('has words of its own for %s', (code, reason) => {
    expect(explainRefusal(serverError(code))).toEqual({
      reason: expect.stringMatching(reason),
      next: expect.stringMatching(/\.$/),
    });
  });

  it('says of a reply that came too late that the change may still be made', () => {
    expect(explainRefusal(new Error('Query read timeout'))?.reason).toMatch(/did not answer in time, and may still/);
  });

  it.each([
    ['function is_of_this_run() does not exist', /functions of this version are missing.*may not make them/],
    ['Funktion append_audit(timestamp with time zone) existiert nicht', /functions of this version are missing/],
    ['function none_of_ours(text) does not exist', undefined],
  ])('says who can make what is missing when it is ours: %s', (message, says) => {
    const refusal = explainRefusal(Object.assign(new Error(message), { code: '42883' }));
    if (says === undefined) return expect(refusal).toBeUndefined();
    expect(refusal).toEqual({
      reason: expect.stringMatching(says),
      next: expect.stringMatching(/Grant the role CREATE .* or start this version once as the owner/),
    });
  });

  it('says nothing of errors that are about something else', () => {
    expect(explainRefusal(serverError('23505'))).toBeUndefined();
    expect(explainRefusal('text')).toBeUndefined();
  });
});

describe('withRefusalExplained', () => {
  it('names cause and remedy, without users and hosts, and leaves other errors as they are', () => {
    const error = withRefusalExplained(serverError('25006'));
    expect(error).toBeInstanceOf(PipelineError);
    expect(error).toMatchObject({
      code: 'LEDGER_UNREACHABLE',
      message: expect.stringMatching(/read-only.*DATABASE_URL/),
    });
    expect((error as Error).message).not.toContain('pay"');
    const other = new Error('x');
    expect(withRefusalExplained(other)).toBe(other);
  });
});

describe('storableText', () => {
  it.each([
    ['plain, with äöü, 漢字 and a tab\t', 'plain, with äöü, 漢字 and a tab\t'],
    ['a whole pair \u{1F600}', 'a whole pair \u{1F600}'],
    ['NUL \0 in it', 'NUL \uFFFD in it'],
    ['first half \ud83d', 'first half \uFFFD'],
    ['second half \ude00 alone', 'second half \uFFFD alone'],
    ['halves the wrong way round \ude00\ud83d', 'halves the wrong way round \uFFFD\uFFFD'],
    ['', ''],
  ])('makes %j to %j', (text, stored) => {
    expect(storableText(text)).toBe(stored);
  });
});

describe('storableJson', () => {
  it('mends the texts wherever they stand, and leaves the rest as it is', () => {
    const value = { a: 'x\0', list: ['\ud83d', 1, null, true], deep: { b: 'y' }, gone: undefined };
    expect(JSON.parse(storableJson(value))).toEqual({
      a: 'x\uFFFD',
      list: ['\uFFFD', 1, null, true],
      deep: { b: 'y' },
    });
  });
});
