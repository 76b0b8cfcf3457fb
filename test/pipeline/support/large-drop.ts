import { expect } from 'vitest';
import { compareBooks } from '../../../src/cli/demo/compare-books.ts';
import { formatCents } from '../../../src/kernel/money.ts';
import { cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { openPipelineWorld } from '../../support/pipeline-world.ts';

/** One row in this many cannot be sent. */
const BAD_EVERY = 33;

/**
 * Drops a file with this many rows, 3 % of them bad, into a running instance. Checks that every row comes back in input
 * order, with the totals of the books.
 */
export async function expectLargeDrop(count: number, timeoutMs: number): Promise<void> {
  const world = await openPipelineWorld();
  try {
    const workers = await world.start();
    const rows = upTo(count).map((n) =>
      cardRow(n, n % BAD_EVERY === 0 ? { amount: 'x' } : { amount: formatCents(100 + n) }),
    );
    await world.drop('card', 'large.csv', lines(rows));
    await expect.poll(() => world.states(), { timeout: timeoutMs, interval: 50 }).toEqual({ 'large.csv': 'completed' });
    await workers.stop();

    const bad = Math.floor(count / BAD_EVERY);
    const [result = ''] = Object.values(await world.outputs('result'));
    const table = result
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(','));
    expect(table).toHaveLength(count);
    expect(table.every((cells, index) => cells[2] === `C-${index + 1}`)).toBe(true);
    expect(table.filter((cells) => cells[13] === 'INVALID')).toHaveLength(bad);
    const approvedCents = table
      .filter((cells) => cells[13] === 'APPROVED')
      .map((cells) => Math.round(Number(cells[9]) * 100));
    const books = world.sandbox.books();
    expect(books).toHaveLength(count - bad);
    expect(approvedCents.reduce((sum, cents) => sum + cents, 0)).toBe(
      books.reduce((sum, row) => sum + row.amountCents, 0),
    );
    expect(await compareBooks(world.app, books)).toEqual([]);
  } finally {
    await world.close();
  }
}
