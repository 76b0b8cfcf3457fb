import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareBooks } from '../../../src/cli/demo/compare-books.ts';
import { cardRow, lines, MAGIC_CARD } from '../../support/payment-rows.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';

let world: CliWorld;
beforeAll(async () => {
  world = await openCliWorld({ folder: { badRows: { maxPercent: 50 } } });
  const declined = cardRow(2, { card: MAGIC_CARD, amount: '2.00' });
  await world.drop('card', 'monday.csv', lines([cardRow(1), declined, cardRow(3, { amount: 'ten' }), cardRow(4)]));
  await world.finish();
});
afterAll(() => world.close());

type Book = ReturnType<CliWorld['sandbox']['books']>[number];

function compareWith(change: (books: readonly Book[]) => readonly Book[]): Promise<string[]> {
  return compareBooks(world.app, change(world.sandbox.books()));
}

/** C-1 in the two places that were not tampered with. */
const TRUE_ROW = 'TEST88 processcreditcardbatch C-1 25.00 approved';

describe('compareBooks', () => {
  it('finds no difference after a good run; an invalid row stands in no book', async () => {
    expect(await compareWith((books) => books)).toEqual([]);
  });

  it.each([
    ['another amount', (book: Book) => ({ ...book, amountCents: 2_501 }), 'C-1 25.01 approved'],
    ['another outcome', (book: Book) => ({ ...book, outcome: 'declined' as const }), 'C-1 25.00 declined'],
    ['another account', (book: Book) => ({ ...book, account: 'OTHER' }), 'OTHER processcreditcardbatch C-1'],
  ])('names %s in the books of the service, beside both others', async (_what, alter, words) => {
    const differences = await compareWith((books) =>
      books.map((book) => (book.invoice === 'C-1' ? alter(book) : book)),
    );
    expect(differences).toHaveLength(4);
    expect(differences).toContain(`${TRUE_ROW}: 1 in the ledger, 0 in the books of the service`);
    expect(differences).toContain(`${TRUE_ROW}: 1 in the output files, 0 in the books of the service`);
    expect(differences.filter((text) => text.includes(words) && text.includes(': 0 in '))).toHaveLength(2);
  });

  it('names a payment that the service took twice, or never', async () => {
    expect(await compareWith((books) => [...books, books[0]!])).toEqual([
      `${TRUE_ROW}: 1 in the ledger, 2 in the books of the service`,
      `${TRUE_ROW}: 1 in the output files, 2 in the books of the service`,
    ]);
    expect(await compareWith((books) => books.slice(1))).toEqual([
      `${TRUE_ROW}: 1 in the ledger, 0 in the books of the service`,
      `${TRUE_ROW}: 1 in the output files, 0 in the books of the service`,
    ]);
  });

  it.each([
    ['another outcome', `UPDATE row_outcome SET outcome = 'declined' WHERE line = 1`, 'C-1 25.00 declined'],
    ['another amount', 'UPDATE payment_row SET amount_cents = 2501 WHERE line = 1', 'C-1 25.01 approved'],
  ])('names %s in the ledger', async (_what, statement, words) => {
    expect(await whileTampered(statement)).toEqual([
      `TEST88 processcreditcardbatch ${words}: 1 in the ledger, 0 in the books of the service`,
      `${TRUE_ROW}: 0 in the ledger, 1 in the books of the service`,
    ]);
  });

  it('names a row that the ledger lost', async () => {
    expect(await whileTampered('DELETE FROM row_outcome WHERE line = 1')).toEqual([
      `${TRUE_ROW}: 0 in the ledger, 1 in the books of the service`,
    ]);
  });

  it.each([
    ['another amount', (text: string) => text.replace('25.00', '25.01'), 'C-1 25.01 approved'],
    ['another outcome', (text: string) => text.replace('APPROVED', 'DECLINED'), 'C-1 25.00 declined'],
    ['an amount that is none', (text: string) => text.replace('25.00', 'many'), 'C-1 many approved'],
  ])('names %s in an output file', async (_what, alter, words) => {
    expect(await whileRewritten(alter)).toEqual([
      `TEST88 processcreditcardbatch ${words}: 1 in the output files, 0 in the books of the service`,
      `${TRUE_ROW}: 0 in the output files, 1 in the books of the service`,
    ]);
  });

  it('names a row that an output file lost', async () => {
    expect(await whileRewritten((text) => text.replace(/^1,.*\r\n/m, ''))).toEqual([
      `${TRUE_ROW}: 0 in the output files, 1 in the books of the service`,
    ]);
  });
});

/** Compares while the ledger holds something else, then rolls everything back. */
async function whileTampered(statement: string): Promise<string[]> {
  const client = await world.app.ledger.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SET LOCAL session_replication_role = replica');
    await client.query(statement);
    const ledger = { ...world.app.ledger, pool: client as unknown as typeof world.app.ledger.pool };
    return await compareBooks({ ...world.app, ledger }, world.sandbox.books());
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

/** Compares while the result file on disk holds something else. */
async function whileRewritten(alter: (text: string) => string): Promise<string[]> {
  const { out } = world.settings.paths;
  const name = (await readdir(out)).find((entry) => entry.endsWith('.result.csv'));
  const path = join(out, name ?? '');
  const text = await readFile(path, 'utf8');
  expect(alter(text)).not.toBe(text);
  try {
    await writeFile(path, alter(text));
    return await compareBooks(world.app, world.sandbox.books());
  } finally {
    await writeFile(path, text);
  }
}
