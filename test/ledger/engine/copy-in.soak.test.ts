import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PoolClient } from 'pg';
import { type CopiedInto, copyIn } from '../../../src/ledger/engine/copy-in.ts';
import { tupleWriter } from '../../../src/ledger/copy/tuple-writer.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
let client: PoolClient;
beforeAll(async () => {
  world = await openTestLedger();
  client = await world.ledger.pool.connect();
  await client.query('CREATE TEMP TABLE one (n integer PRIMARY KEY); CREATE TEMP TABLE other (n integer)');
});
afterAll(async () => {
  client.release();
  await world.close();
});
beforeEach(() => client.query('TRUNCATE one, other'));

function numbers(into: string, ...values: number[]): CopiedInto {
  const tuples = tupleWriter();
  for (const value of values) {
    tuples.begin(1);
    tuples.int4(value);
  }
  return { into, tuples: tuples.take()! };
}

async function held(): Promise<{ one: number; other: number }> {
  const { rows } = await client.query<{ one: number; other: number }>(
    'SELECT (SELECT count(*) FROM one) AS one, (SELECT count(*) FROM other) AS other',
  );
  return rows[0]!;
}

describe('copyIn', () => {
  it('copies into several tables in their order', async () => {
    await copyIn(client, [numbers('one', 1, 2), numbers('other', 3), numbers('one', 4)]);
    expect(await held()).toEqual({ one: 3, other: 1 });
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
    ['rows are cut short', () => [{ into: 'one', tuples: numbers('one', 1).tuples.subarray(0, 12) }], '22P04'],
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
