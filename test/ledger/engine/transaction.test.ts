import type { PoolClient } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { TupleWriter } from '../../../src/ledger/copy/tuple-writer.ts';
import { copyIn } from '../../../src/ledger/engine/copy-in.ts';
import { queryTogether } from '../../../src/ledger/engine/query-together.ts';
import { lazyBegin, type Queryable } from '../../../src/ledger/engine/transaction.ts';
import { keyOf, openTestLedger } from '../../support/ledger-world.ts';
import { openRelayed } from '../support/start-worker.ts';
import { endCall } from '../../../src/ledger/batch/commit-send.ts';
import { callFor, declareCall } from '../../support/calls.ts';

const world = openedForTests(openTestLedger);
let client: PoolClient;
let begun: ReturnType<typeof lazyBegin>;
beforeAll(async () => {
  client = await world.ledger.pool.connect();
  await client.query('CREATE TEMP TABLE one (n bigint PRIMARY KEY); CREATE TEMP TABLE noted (word text PRIMARY KEY)');
});
afterAll(() => client.release());
beforeEach(async () => {
  await client.query('TRUNCATE one');
  begun = lazyBegin(client);
});

async function held(): Promise<number[]> {
  const { rows } = await client.query<{ n: number }>('SELECT n FROM one ORDER BY n');
  return rows.map(({ n }) => n);
}

function numbers(...values: number[]): Uint8Array {
  const tuples = new TupleWriter();
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
  ['rows', () => copyIn(begun.client, [{ into: 'one', tuples: [numbers(1)] }])],
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
    ['rows', () => copyIn(begun.client, [{ into: 'one', tuples: [numbers(1, 1)] }])],
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
    const { ledger, said } = await openRelayed(world);
    const other = await ledger.pool.connect();
    onTestFinished(() => other.release(true));
    said.length = 0;
    await lazyBegin(other).client.query('SELECT $1::text', ['first']);
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(/BEGIN[^]*SELECT \$1::text/);
  });
});

/** A power cut undoes what was not flushed: a request may leave without an intent, or its batch id may be lost. */
it('waits for the disk before a request may leave, and before its answer counts as recorded', async () => {
  const { ledger, said } = await openRelayed(world);
  const { file_id: fileId } = await world.accepted();
  const batch = await callFor(ledger, { fileId, batchNo: 1 });
  said.length = 0;
  expect(await declareCall(ledger, batch)).toBe(true);
  const end = { verdict: 'submitted', batchId: '9001', firstPollMs: 0, evidence: {} } as const;
  expect(await endCall(ledger, batch, end)).toBe('moved');
  expect(said.join()).toContain('commit_send');
  expect(said.join()).not.toContain('synchronous_commit');
  const { rows } = await ledger.pool.query('SELECT state FROM batch WHERE file_id = $1', [keyOf(batch).fileId]);
  expect(rows).toEqual([{ state: 'submitted' }]);
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
