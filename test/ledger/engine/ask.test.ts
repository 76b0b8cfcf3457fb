import { describe, expect, it, vi } from 'vitest';
import { answerBy, ask, type Question } from '../../../src/ledger/engine/ask.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

const rowsOf = (sql: string | undefined, ...values: unknown[]): Question<readonly object[]> => ({
  sql,
  values,
  read: (rows) => rows,
});

describe('ask', () => {
  it('gives each question its own answer, by one statement', async () => {
    const { pool } = world.ledger;
    const sent = vi.spyOn(pool, 'query');
    const answers = await ask(
      pool,
      rowsOf('SELECT $1::int + $2::int AS sum', 1, 2),
      rowsOf("SELECT 'no values' AS text"),
      rowsOf('SELECT n FROM generate_series(1, 3) AS n WHERE n > $1::int ORDER BY n DESC', 1),
      rowsOf('SELECT n FROM generate_series(1, 3) AS n WHERE n > 7'),
      rowsOf('SELECT $1::bigint AS cents, $2::timestamptz AS at', 9_000_000_000, new Date(0)),
    );
    expect(sent).toHaveBeenCalledTimes(1);
    sent.mockRestore();
    expect(answers).toEqual([
      [{ sum: 3 }],
      [{ text: 'no values' }],
      [{ n: 3 }, { n: 2 }],
      [],
      [{ cents: 9_000_000_000, at: expect.stringMatching(/^1970-01-01T/) }],
    ]);
  });

  it('sends nothing for questions that have nothing to ask', async () => {
    const { pool } = world.ledger;
    const sent = vi.spyOn(pool, 'query');
    expect(await ask(pool, rowsOf(undefined), rowsOf(undefined, 1))).toEqual([[], []]);
    expect(await ask(pool)).toEqual([]);
    expect(sent).not.toHaveBeenCalled();
    sent.mockRestore();
    expect(await ask(pool, rowsOf(undefined, 1), rowsOf('SELECT $1::int AS one', 7))).toEqual([[], [{ one: 7 }]]);
  });

  it('numbers the values of more than nine questions', async () => {
    const questions = Array.from({ length: 12 }, (_, n) =>
      rowsOf('SELECT $1::int AS a, $2::text AS b, $1::int AS c', n, `b${n}`),
    );
    expect(await ask(world.ledger.pool, ...questions)).toEqual(
      Array.from({ length: 12 }, (_, n) => [{ a: n, b: `b${n}`, c: n }]),
    );
  });

  it('fails as a whole', async () => {
    await expect(
      ask(world.ledger.pool, rowsOf('SELECT 1 AS one'), rowsOf('SELECT 1 / $1::int AS two', 0)),
    ).rejects.toMatchObject({
      code: '22012',
    });
  });
});

it('answerBy makes an answer of another', async () => {
  const question = answerBy(rowsOf('SELECT $1::int AS one', 7), ([row]) => (row as { one: number }).one * 2);
  expect(await ask(world.ledger.pool, question)).toEqual([14]);
});
