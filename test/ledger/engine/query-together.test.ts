import type { PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { queryTogether } from '../../../src/ledger/engine/query-together.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';
import type { Queryable } from '../../../src/ledger/engine/transaction.ts';

let world: LedgerWorld;
let client: PoolClient;
beforeAll(async () => {
  world = await openTestLedger();
  client = await world.ledger.pool.connect();
  await client.query('CREATE TEMP TABLE noted (word text PRIMARY KEY)');
});
afterAll(async () => {
  client.release();
  await world.close();
});

const ask = async <Row>(by: Queryable, text: string, values: unknown[] = []): Promise<Row[]> =>
  (await by.query(text, values)).rows as Row[];

const note = (by: Queryable, word: string) => ask(by, 'INSERT INTO noted VALUES ($1)', [word]);

async function noted(): Promise<string[]> {
  return (await ask<{ word: string }>(client, 'SELECT word FROM noted ORDER BY word')).map(({ word }) => word);
}

describe('queryTogether', () => {
  it('gives each question its own answer, in one message', async () => {
    const sent = vi.spyOn(client, 'query');
    const answers = await queryTogether(client, (by) => [
      ask(by, 'SELECT $1::int + 1 AS sum', [1]),
      ask(by, "SELECT 'no values' AS text"),
      ask(by, 'SELECT n FROM generate_series(1, 3) AS n WHERE n > 7'),
      ask(by, 'SELECT $1::bigint AS cents, $2::timestamptz AS at', [9_000_000_000, new Date(0)]),
      'no question at all',
    ]);
    expect(answers).toEqual([
      [{ sum: 2 }],
      [{ text: 'no values' }],
      [],
      [{ cents: 9_000_000_000, at: new Date(0) }],
      'no question at all',
    ]);
    expect(sent).toHaveBeenCalledTimes(1);
    sent.mockRestore();
  });

  it('takes a single question, and none', async () => {
    expect(await queryTogether(client, (by) => [ask(by, 'SELECT 1 AS one')])).toEqual([[{ one: 1 }]]);
    expect(await queryTogether(client, () => [])).toEqual([]);
  });

  it('counts the rows of statements that give none back', async () => {
    const [inserted, deleted] = await queryTogether(client, (by) => [
      by.query("INSERT INTO noted VALUES ('one'), ('two')"),
      by.query('DELETE FROM noted'),
    ]);
    expect([inserted.rowCount, deleted.rowCount]).toEqual([2, 2]);
  });

  it('lets each see what was committed before it began', async () => {
    const other = await world.ledger.pool.connect();
    await other.query('SELECT pg_advisory_lock(1)');
    await other.query('CREATE TABLE seen (n int)');
    const asked = queryTogether(client, (by) => [
      ask(by, 'SELECT FROM pg_advisory_xact_lock(1)'),
      ask<{ n: number }>(by, 'SELECT n FROM seen'),
    ]);
    await other.query('INSERT INTO seen VALUES (7)');
    await other.query('SELECT pg_advisory_unlock(1)');
    other.release();
    expect((await asked)[1]).toEqual([{ n: 7 }]);
  });

  it('fails as a whole outside of a transaction, and the connection goes on', async () => {
    const asked = queryTogether(client, (by) => [note(by, 'first'), ask(by, 'SELECT 1 / 0'), note(by, 'third')]);
    await expect(asked).rejects.toMatchObject({ code: '22012' });
    expect(await noted()).toEqual([]);
  });

  it('asks what comes after an answer by itself', async () => {
    const [after] = await queryTogether(client, (by) => [
      ask(by, 'SELECT 1').then(() => ask<{ two: number }>(by, 'SELECT 2 AS two')),
    ]);
    expect(after).toEqual([{ two: 2 }]);
  });
});
