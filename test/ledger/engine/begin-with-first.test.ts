import type { PoolClient } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLog } from '../../../src/kernel/log.ts';
import { queryTogether } from '../../../src/ledger/engine/query-together.ts';
import { copyIn } from '../../../src/ledger/engine/copy-in.ts';
import { tupleWriter } from '../../../src/ledger/copy/tuple-writer.ts';
import { openLedger } from '../../../src/ledger/engine/open-ledger.ts';
import { relayDatabase } from '../../support/database-relay.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';
import { type Beginning, lazyBegin } from '../../../src/ledger/engine/transaction.ts';

let world: LedgerWorld;
let client: PoolClient;
let begun: Beginning;
beforeAll(async () => {
  world = await openTestLedger();
  client = await world.ledger.pool.connect();
  await client.query('CREATE TEMP TABLE one (n bigint PRIMARY KEY)');
});
afterAll(async () => {
  client.release();
  await world.close();
});
beforeEach(async () => {
  await client.query('TRUNCATE one');
  begun = lazyBegin(client);
});

async function held(): Promise<number[]> {
  const { rows } = await client.query<{ n: number }>('SELECT n FROM one ORDER BY n');
  return rows.map(({ n }) => n);
}

function numbers(...values: number[]): Uint8Array {
  const tuples = tupleWriter();
  for (const value of values) {
    tuples.begin(1);
    tuples.int8(value);
  }
  return tuples.take()!;
}

/** First queries that each put a 1 into the table. */
const FIRSTS: [string, () => Promise<unknown>][] = [
  ['a statement with values', () => begun.client.query('INSERT INTO one VALUES ($1)', [1])],
  ['a statement without values', () => begun.client.query('INSERT INTO one VALUES (1)')],
  ['several statements', () => begun.client.query('SELECT 1; INSERT INTO one VALUES (1); SELECT 2')],
  ['rows', () => copyIn(begun.client, [{ into: 'one', tuples: numbers(1) }])],
];

describe('lazyBegin', () => {
  it.each(FIRSTS)('begins with %s, and takes it back', async (_what, ask) => {
    expect(begun.hasBegun()).toBe(false);
    await ask();
    expect(begun.hasBegun()).toBe(true);
    await begun.client.query('INSERT INTO one VALUES ($1)', [2]);
    expect(await held()).toEqual([1, 2]);
    await client.query('ROLLBACK');
    expect(await held()).toEqual([]);
  });

  it.each(FIRSTS)('keeps what began with %s', async (_what, ask) => {
    await ask();
    expect((await begun.client.query('COMMIT')).command).toBe('COMMIT');
    expect(await held()).toEqual([1]);
  });

  it('gives the answer to the first, not that to BEGIN, and reads numbers as every session does', async () => {
    const answer = await begun.client.query('SELECT 7::bigint AS n WHERE $1', [true]);
    expect(answer).toMatchObject({ command: 'SELECT', rowCount: 1, rows: [{ n: 7 }] });
    await client.query('ROLLBACK');
    const answers: unknown = await lazyBegin(client).client.query('SELECT 8 AS n; SELECT 9 AS n');
    expect(answers).toMatchObject([{ rows: [{ n: 8 }] }, { rows: [{ n: 9 }] }]);
    await client.query('ROLLBACK');
  });

  it.each([
    ['a statement with values', () => begun.client.query('SELECT 1 / $1::integer', [0])],
    ['a statement without values', () => begun.client.query('SELECT 1 / 0')],
    ['rows', () => copyIn(begun.client, [{ into: 'one', tuples: numbers(1, 1) }])],
    ['no SQL', () => begun.client.query('no SQL')],
  ])('does not lose the failure of the first: %s', async (_what, ask) => {
    await expect(ask()).rejects.toMatchObject({ severity: 'ERROR' });
    expect((await begun.client.query('COMMIT')).command).toBe('ROLLBACK');
    expect(await held()).toEqual([]);
  });

  it('begins with questions that are asked together, which are one message with it', async () => {
    const sent = vi.spyOn(client, 'query');
    const answers = await queryTogether(begun.client, (by) => [
      by.query('INSERT INTO one VALUES ($1)', [1]),
      by.query('SELECT n FROM one'),
    ]);
    expect(answers).toMatchObject([{ rowCount: 1 }, { rows: [{ n: 1 }] }]);
    expect(sent).toHaveBeenCalledTimes(1);
    sent.mockRestore();
    await client.query('ROLLBACK');
    expect(await held()).toEqual([]);
  });

  it('does not lose the failure of one of several that are asked together', async () => {
    const asked = queryTogether(begun.client, (by) => [
      by.query('INSERT INTO one VALUES ($1)', [1]),
      by.query('SELECT 1 / 0'),
    ]);
    await expect(asked).rejects.toMatchObject({ code: '22012' });
    expect((await begun.client.query('COMMIT')).command).toBe('ROLLBACK');
    expect(await held()).toEqual([]);
  });

  it('sends both as one message', async () => {
    const relay = await relayDatabase(world.url);
    onTestFinished(() => relay.close());
    const ledger = await openLedger({ url: relay.url }, { clock: world.clock, log: silentLog() });
    onTestFinished(() => ledger.close());
    const other = await ledger.pool.connect();
    onTestFinished(() => other.release(true));
    const said: string[] = [];
    relay.decide((text) => (said.push(text), 'pass'));
    await lazyBegin(other).client.query('SELECT $1::text', ['first']);
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(/BEGIN[^]*SELECT \$1::text/);
  });
});
