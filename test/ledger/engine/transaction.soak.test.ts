import pg, { type PoolClient } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { TupleWriter } from '../../../src/ledger/copy/tuple-writer.ts';
import { type CopiedInto, copyIn } from '../../../src/ledger/engine/copy-in.ts';
import { moveFile } from '../../../src/ledger/engine/move.ts';
import { transact, violates } from '../../../src/ledger/engine/transaction.ts';
import { claimForTest } from '../../support/claim-for-test.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { verifyAudit } from '../../../src/ledger/overview/verify-audit.ts';
import { openRelayed } from '../support/start-worker.ts';
import { claimOf, openTestLedger, START } from '../../support/ledger-world.ts';
import { endCall } from '../../../src/ledger/batch/commit-send.ts';

const world = openedForTests(openTestLedger);

const because = { actor: 'operator:ada', reason: 'to see' };

describe('transact', () => {
  it('gives the result, one moment for all, and writes the links in their order at the end', async () => {
    const { file_id: fileId } = await world.claimed();
    const at = await transact(world.ledger, async (tx) => {
      tx.audit({ ...because, fileId, batchNo: 3, move: 'one', from: 'a', to: 'b', evidence: { n: 1 } });
      world.clock.advance(5_000);
      tx.audit({ ...because, fileId, move: 'two' });
      const { rows } = await tx.client.query('SELECT count(*) AS links FROM audit WHERE file_id = $1', [fileId]);
      expect(rows).toEqual([{ links: 1 }]);
      return tx.at;
    });
    world.clock.set(START);
    expect(at).toEqual(new Date(START));
    const nothing = { batch_no: null, from_state: null, to_state: null, evidence: {} };
    expect((await world.links(fileId)).slice(1)).toEqual([
      { ...because, batch_no: 3, move: 'one', from_state: 'a', to_state: 'b', evidence: { n: 1 } },
      { ...because, ...nothing, move: 'two' },
    ]);
    const { rows } = await world.ledger.pool.query('SELECT DISTINCT at FROM audit WHERE file_id = $1', [fileId]);
    expect(rows).toEqual([{ at: new Date(START) }]);
  });

  it('takes back everything, links included, when the work throws', async () => {
    const { file_id: fileId } = await world.claimed();
    const failure = new Error('in the middle');
    const failed = transact(world.ledger, async (tx) => {
      await moveFile(tx, 'hold', fileId, because);
      throw failure;
    });
    await expect(failed).rejects.toBe(failure);
    expect((await readFileRow(world.ledger, fileId)).state).toBe('claimed');
    expect(await world.links(fileId)).toHaveLength(1);
    expect((await verifyAudit(world.ledger)).brokenAt).toBeUndefined();
  });

  it('takes back everything when a link cannot be written', async () => {
    const { file_id: fileId } = await world.claimed();
    const failed = transact(world.ledger, async (tx) => {
      await moveFile(tx, 'hold', fileId, because);
      tx.audit({ ...because, move: null as never });
    });
    await expect(failed).rejects.toMatchObject({ code: '23502' });
    expect((await readFileRow(world.ledger, fileId)).state).toBe('claimed');
    expect(await world.links(fileId)).toHaveLength(1);
  });

  it('does not pass for done when the work swallowed the failure of a statement', async () => {
    const { file_id: fileId } = await world.claimed();
    const failed = transact(world.ledger, async (tx) => {
      await tx.client.query(`UPDATE file SET name = 'other' WHERE file_id = $1`, [fileId]);
      await tx.client.query('SELECT 1 / 0').catch(() => {});
    });
    await expect(failed).rejects.toMatchObject({ code: 'INTERNAL' });
    expect((await readFileRow(world.ledger, fileId)).name).toBe(`${fileId}.csv`);
  });

  it('quotes no rows in its errors', async () => {
    const { file_id: fileId } = await world.claimed();
    const failures = [
      transact(world.ledger, (tx) => tx.client.query('UPDATE file SET name = NULL WHERE file_id = $1', [fileId])),
      transact(world.ledger, (tx) =>
        tx.client.query('INSERT INTO payment_row SELECT 1, 1, 1, NULL, $1, 1, $1', ['CANARY']),
      ),
    ];
    // Await both at once: one that fails during another's wait would be unhandled.
    const errors = await Promise.all(
      failures.map((failure) =>
        failure.then(
          () => undefined,
          (reason: Error) => reason,
        ),
      ),
    );
    for (const error of errors) {
      expect(error).toMatchObject({ code: '23502' });
      expect(JSON.stringify(error) + error?.stack).not.toMatch(new RegExp(`${fileId}|CANARY`));
    }
  });

  it('gives a good connection back after a failure, and throws a lost one away', async () => {
    const { pool } = world.ledger;
    await transact(world.ledger, (tx) => tx.client.query('no SQL')).catch(() => {});
    const before = pool.totalCount;
    expect(pool.idleCount).toBe(before);
    const cut = transact(world.ledger, (tx) => tx.client.query('SELECT pg_terminate_backend(pg_backend_pid())'));
    await expect(cut).rejects.toThrow();
    expect(pool.totalCount).toBe(before - 1);
    await transact(world.ledger, async () => {});
  });

  it('asks a server that takes no writes on another connection, which may lead to one that does', async () => {
    const { pool } = world.ledger;
    const before = pool.totalCount;
    const refused = transact(world.ledger, async (tx) => {
      await tx.client.query('SET TRANSACTION READ ONLY');
      await tx.client.query('DELETE FROM row_fault');
    });
    await expect(refused).rejects.toMatchObject({ code: '25006' });
    expect(pool.totalCount).toBe(before - 1);
    await transact(world.ledger, async () => {});
  });

  it('says LEDGER_UNREACHABLE when no connection can be made', async () => {
    const pool = new pg.Pool({ host: '/nonexistent', user: 'nobody' });
    await expect(transact({ ...world.ledger, pool }, async () => {})).rejects.toMatchObject({
      code: 'LEDGER_UNREACHABLE',
    });
    await pool.end();
  });
});

describe('the audit chain', () => {
  it('is free for others while a process is stopped or cut off at its commit', async () => {
    const { relay, ledger } = await openRelayed(world);
    let kept = '';
    // The network swallows the commit, as if the process were stopped before sending it.
    relay.decide((said) => {
      if (!said.includes('append_audit')) return 'pass';
      kept = said;
      return 'keep';
    });
    // Attach the handler now: the session ends before the answer about its end arrives.
    const stopped = expect(claimForTest(ledger, claimOf({ account: 'one' }))).rejects.toThrow();
    await expect.poll(() => kept, { interval: 10 }).toMatch(/append_audit.*;\nCOMMIT/s);
    expect(await claimForTest(world.ledger, claimOf({ account: 'one' }))).toBe(true);
    const { rowCount } = await world.ledger.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'`,
    );
    expect(rowCount).toBe(1);
    await stopped;
  });

  it.each([
    ['quotes \' and \\ and " and ;', 'it\'s \\\' -- "x"; COMMIT'],
    ['what cannot be kept', 'a\0b'],
    ['dollars and per cents', '$1 $$ %s'],
  ])('keeps %s as they are said', async (_what, words) => {
    const { file_id: fileId } = await world.claimed();
    const link = { actor: `operator:${words}`, reason: words, evidence: { said: words } };
    await transact(world.ledger, async (tx) => tx.audit({ ...link, fileId, batchNo: 7, move: 'one', to: words }));
    const kept = words.replace('\0', '\uFFFD');
    const found = (await world.links(fileId)).at(-1);
    expect(found).toMatchObject({
      actor: `operator:${kept}`,
      reason: kept,
      batch_no: 7,
      to_state: kept,
      from_state: null,
    });
    expect(found).toMatchObject({ evidence: { said: kept } });
    expect((await verifyAudit(world.ledger)).brokenAt).toBeUndefined();
  });

  it('stays a chain without a gap when many move at the same moment', async () => {
    const claims = Array.from({ length: 50 }, () => claimOf({ account: 'busy' }));
    const answers = await Promise.all(claims.map((claim) => claimForTest(world.ledger, claim)));
    expect(answers).toEqual(Array(50).fill(true));
    const { brokenAt, chains } = await verifyAudit(world.ledger);
    expect(brokenAt).toBeUndefined();
    expect(chains.find(({ chain }) => chain === 'busy')).toMatchObject({ links: 50 });
  });

  it('lets moves with several links each, from two processes, pass without a deadlock', async () => {
    const another = await world.openAgain();
    const batches = await Promise.all(Array.from({ length: 12 }, () => world.sending()));
    const end = { verdict: 'unknown', reason: 'no answer', evidence: {} } as const;
    const moves = batches.flatMap((batch, index) => [
      () => endCall(index % 2 ? another : world.ledger, batch, end),
      () => transact(another, (tx) => moveFile(tx, 'complete', batch.file_id, because)),
      () => world.accepted({ batches: 2 }),
    ]);
    const ends = await Promise.allSettled(moves.map((move) => move()));
    expect(ends.filter((one) => one.status === 'rejected')).toEqual([]);
    expect((await verifyAudit(world.ledger)).brokenAt).toBeUndefined();
  });
});

describe('violates', () => {
  it('is true of the index named, and of nothing else', async () => {
    const { file_id: fileId } = await world.accepted();
    const failure = await transact(world.ledger, (tx) =>
      tx.client.query('INSERT INTO batch SELECT * FROM batch WHERE file_id = $1', [fileId]),
    ).catch((error: unknown) => error);
    expect(violates(failure, 'batch_pkey')).toBe(true);
    expect(violates(failure, 'one_call_in_flight')).toBe(false);
    expect(violates(new Error('batch_pkey'), 'batch_pkey')).toBe(false);
    expect(violates({ code: '23505', constraint: 'batch_pkey' }, 'batch_pkey')).toBe(false);
  });
});

describe('copyIn', () => {
  let client: PoolClient;
  beforeAll(async () => {
    client = await world.ledger.pool.connect();
    await client.query('CREATE TEMP TABLE one (n integer PRIMARY KEY); CREATE TEMP TABLE other (n integer)');
  });
  afterAll(() => client.release());
  beforeEach(() => client.query('TRUNCATE one, other'));

  function numbers(into: string, ...values: number[]): CopiedInto {
    const tuples = new TupleWriter();
    for (const value of values) {
      tuples.begin(1);
      tuples.int4(value);
    }
    return { into, tuples: [tuples.take()!] };
  }

  async function held(): Promise<{ one: number; other: number }> {
    const { rows } = await client.query<{ one: number; other: number }>(
      'SELECT (SELECT count(*) FROM one) AS one, (SELECT count(*) FROM other) AS other',
    );
    return rows[0]!;
  }

  it('copies into several tables in their order', async () => {
    await copyIn(client, [numbers('one', 1, 2), numbers('other', 3), numbers('one', 4)]);
    expect(await held()).toEqual({ one: 3, other: 1 });
  });

  it('copies several pieces of rows into one table', async () => {
    const pieces = [numbers('one', 1, 2), numbers('one', 3), numbers('one', 4, 5)].flatMap(({ tuples }) => tuples);
    await copyIn(client, [{ into: 'one', tuples: pieces }]);
    expect(await held()).toEqual({ one: 5, other: 0 });
  });

  it('copies more than a socket takes at once', async () => {
    const many = Array.from({ length: 300_000 }, (_, index) => index);
    await copyIn(client, [numbers('one', ...many.slice(0, 100_000)), numbers('other', ...many.slice(0, 100_000))]);
    await copyIn(client, [numbers('other', ...many.slice(100_000, 200_000))]);
    expect(await held()).toEqual({ one: 100_000, other: 200_000 });
  });

  it.each([
    ['the first table is not there', () => [numbers('nowhere', 1), numbers('other', 2)], '42P01'],
    ['rows of the first are refused', () => [numbers('one', 1, 1), numbers('other', 2)], '23505'],
    ['rows of the last are refused', () => [numbers('other', 2), numbers('one', 1, 1)], '23505'],
    ['rows are cut short', () => [{ into: 'one', tuples: [numbers('one', 1).tuples[0]!.subarray(0, 12)] }], '22P04'],
  ])('fails when %s, and leaves the connection as it was', async (_what, copies, code) => {
    await client.query('BEGIN');
    await expect(copyIn(client, copies())).rejects.toMatchObject({ code });
    await client.query('ROLLBACK');
    expect(await held()).toEqual({ one: 0, other: 0 });
    await copyIn(client, [numbers('one', 1)]);
    expect(await held()).toEqual({ one: 1, other: 0 });
  });

  it('lets the statements after it wait for its end', async () => {
    const [, found] = await Promise.all([copyIn(client, [numbers('one', 1), numbers('other', 1)]), held()]);
    expect(found).toEqual({ one: 1, other: 1 });
  });

  it('fails with its connection', async () => {
    const doomed = await world.ledger.pool.connect();
    const { rows } = await doomed.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await doomed.query('CREATE TEMP TABLE held (n integer); BEGIN');
    await client.query('SELECT pg_terminate_backend($1, 5000)', [rows[0]!.pid]);
    await expect(copyIn(doomed, [numbers('held', 1)])).rejects.toThrow();
    doomed.release(true);
  });
});
