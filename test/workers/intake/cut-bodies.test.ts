import { describe, expect, it } from 'vitest';
import type { PackedRows } from '../../../src/csv/write/packed-rows.ts';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { bodyCutter, bodyPurpose, checkBody, confusableRows } from '../../../workers/intake/cut-bodies.ts';
import { mostRowsNext } from '../../../src/rows/rows.ts';
import { achRow, CARD, cardRow, codeRow, upTo } from '../../support/payment-rows.ts';
import { columnsOf, type LayoutName } from '../../../schemas/layouts.ts';

/** Adds rows of these lines from the middle of a group. */
function add(cutter: ReturnType<typeof bodyCutter>, ...numbers: number[]): void {
  cutter.add(groupOf([0, ...numbers, 0]), 1, numbers.length + 1);
}

function groupOf(numbers: readonly number[], cents = 2_500, cells: Parameters<typeof achRow>[1] = {}): PackedRows {
  const rows = numbers.map((n) => `${achRow(n, cells)}\n`);
  const starts = [0];
  for (const row of rows) starts.push(starts.at(-1)! + row.length);
  return {
    count: rows.length,
    bytes: Buffer.from(rows.join('')),
    starts: Uint32Array.from(starts),
    lines: Uint32Array.from(numbers),
    cents: Float64Array.from(numbers, () => cents),
  };
}

const bodyOf = (...numbers: number[]) => numbers.map((n) => achRow(n)).join('\n');

describe('bodyCutter', () => {
  it('gives the rows since the last cut, with their figures, and begins anew', () => {
    const cutter = bodyCutter(3, 'ach');
    add(cutter, 4, 5, 8);
    expect(cutter.isFull()).toBe(true);
    const { bytes, ...figures } = cutter.cut()!;
    expect(bytes.toString()).toBe(bodyOf(4, 5, 8));
    expect(figures).toEqual({ sha256: sha256Of(bodyOf(4, 5, 8)), rows: 3, cents: 7_500, firstLine: 4, lastLine: 8 });
    expect(cutter.isFull()).toBe(false);
    add(cutter, 9);
    expect(cutter.cut()).toMatchObject({ rows: 1, cents: 2_500, firstLine: 9, lastLine: 9 });
    expect(cutter.cut()).toBeUndefined();
  });

  it('takes batches of any size', () => {
    const cutter = bodyCutter(5_000, 'ach');
    add(cutter, ...upTo(5_000));
    expect(cutter.cut()!.bytes.toString()).toBe(bodyOf(...upTo(5_000)));
  });

  it('takes rows until it is full', () => {
    const cutter = bodyCutter(3, 'ach');
    expect(cutter.endOfRoom(groupOf([1, 2, 3, 4, 5]), 1, 5)).toBe(4);
    expect(bodyCutter(3, 'ach').endOfRoom(groupOf([1, 2]), 0, 2)).toBe(2);
  });

  it('takes more rows into a batch of a large file: a hundredth of those before, 500 to 5,000', () => {
    const cutter = bodyCutter('auto', 'ach');
    const group = groupOf(upTo(6_000).map((n) => n % 10));
    const sizes: number[] = [];
    for (let rows = 0; rows < 600_000; ) {
      while (!cutter.isFull()) cutter.add(group, 0, cutter.endOfRoom(group, 0, 250));
      sizes.push(cutter.cut()!.rows);
      rows += sizes.at(-1)!;
    }
    expect(new Set(sizes.slice(0, 101))).toEqual(new Set([500]));
    expect(sizes.slice(101, 104)).toEqual([505, 510, 515]);
    for (const [place, size] of sizes.entries()) {
      const before = sizes.slice(0, place).reduce((sum, rows) => sum + rows, 0);
      expect(size).toBe(mostRowsNext('auto', before));
    }
    expect(sizes.slice(-3)).toEqual([5_000, 5_000, 5_000]);
    expect(mostRowsNext(700, 1_000_000)).toBe(700);
  });

  it('takes no row that a result could confuse with one in the batch, and takes it into the next', () => {
    const cutter = bodyCutter(10, 'ach');
    // All have the same invoice and amount; 10,001 ends like 1.
    const group = groupOf([1, 2, 10_001, 3], 2_500, { invoice: 'DUES' });
    expect(cutter.endOfRoom(group, 0, 4)).toBe(2);
    cutter.add(group, 0, 2);
    expect(cutter.endOfRoom(group, 2, 4)).toBe(2);
    cutter.add(group, 2, 2);
    expect(cutter.cut()).toMatchObject({ rows: 2 });
    expect(cutter.endOfRoom(group, 2, 4)).toBe(4);
  });

  it('refuses rows that are not those of the check', () => {
    const cutter = bodyCutter(3, 'ach');
    cutter.add(groupOf([1], 2_501), 0, 1);
    expect(() => cutter.cut()).toThrow(expect.objectContaining({ code: 'BODY_MISMATCH' }));
  });
});

it('bodyPurpose tells batches apart', () => {
  expect(bodyPurpose(1)).toBe('body:1');
  expect(bodyPurpose(12)).toBe('body:12');
});

const COLUMNS = columnsOf('ach');
const ROWS = [achRow(1, { amount: '25.00' }), achRow(2, { amount: '-0.07' }), achRow(3, { amount: '1234567.89' })];
const CENTS = [2_500, -7, 123_456_789];

function check(rows: readonly string[], cents = CENTS, encoding: BufferEncoding = 'utf8'): number {
  return checkBody(Buffer.from(rows.join('\n'), encoding), COLUMNS, Float64Array.from(cents));
}

describe('checkBody', () => {
  it('reads the amounts and gives their sum', () => {
    expect(check(ROWS)).toBe(2_500 - 7 + 123_456_789);
    expect(check([achRow(1, { comment: 'Čeština €' })], [2_500])).toBe(2_500);
  });

  const [first, second, third] = ROWS as [string, string, string];
  it.each<[string, readonly string[], RegExp]>([
    ['a row too few', [first, second], /2 rows read, 3 written/],
    ['a row too many', [...ROWS, first], /amount differs/],
    ['a line end behind the last row', [...ROWS, ''], /1 column, expected 7/],
    ['a column too few', [first, second.replace(/,[^,]*$/, ''), third], /row 2 .* 6 columns/],
    ['a column too many', [`${first},`, second, third], /row 1 .* 8 columns/],
    ['another amount', [first, second.replace('0.07', '0.08'), third], /row 2 .* amount differs/],
    ['the amount of another row', [second, first, third], /amount differs/],
    ['an amount without its minus', [first, second.replace('-0.07', '0.07'), third], /amount differs/],
    ['an amount without cents', [first.replace('25.00', '2500'), second, third], /not canonical/],
    ['an amount of three decimals', [first.replace('25.00', '2.500'), second, third], /not canonical/],
    ['an amount without an integer', [first, second.replace('-0.07', '-.07'), third], /not canonical/],
    ['a letter in an amount', [first.replace('25.00', '2o.00'), second, third], /not canonical/],
    ['an empty amount', [first.replace('25.00', ''), second, third], /not canonical/],
    ['a zero byte', [first.replace('June', 'Ju\0ne'), second, third], /no text/],
  ])('refuses %s', (_what, rows, said) => {
    expect(() => check(rows)).toThrow(
      expect.objectContaining({ code: 'BODY_MISMATCH', message: expect.stringMatching(said) }),
    );
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(() => check([first.replace('June', 'Jün'), second, third], CENTS, 'latin1')).toThrow(/no text/);
  });

  it('says nothing of what stands in a row', () => {
    expect(() => check([first.replace('25.00', '4222222222222220'), second, third])).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('4222') }),
    );
  });
});

/** A card with the same last digits as `CARD`. */
const LIKE_IT = '4012888888882220';
const SHORT = { invoice: 'A-1', account: '12320' };

/** Returns which rows could be confused with an earlier one, all in one batch. */
function confusedOf(layout: LayoutName, rows: readonly string[]): boolean[] {
  const { isConfusable } = confusableRows(layout);
  return rows.map((row) => isConfusable(Buffer.from(`x\n${row}\n`), 2));
}

describe('confusableRows', () => {
  it.each<[string, LayoutName, string[], boolean]>([
    ['another payer whose card ends alike', 'card', [cardRow(1), cardRow(1, { card: LIKE_IT })], true],
    ['the same payer once more', 'card', [cardRow(1), cardRow(1)], false],
    ['another end', 'card', [cardRow(1), cardRow(1, { card: '4111111111111111' })], false],
    ['another amount', 'card', [cardRow(1), cardRow(1, { card: LIKE_IT, amount: '26.00' })], false],
    ['another invoice', 'card', [cardRow(1), cardRow(2, { card: LIKE_IT })], false],
    ['a short account that ends as a long one does', 'ach', [achRow(1, SHORT), achRow(1, { account: CARD })], true],
    [
      'a short account with another end, which may be hidden',
      'ach',
      [achRow(1, SHORT), achRow(1, { account: '12321' })],
      true,
    ],
    ['the same short account', 'ach', [achRow(1, SHORT), achRow(1, SHORT)], false],
    ['a long account with another end', 'ach', [achRow(1, SHORT), achRow(1, { account: '123456789' })], false],
    ['codes, which are shown whole', 'ach-code', [codeRow(1), codeRow(1, { code: 'A20000001' })], false],
  ])('says of %s what the result would show', (_what, layout, rows, isConfused) => {
    expect(confusedOf(layout, rows)).toEqual([false, isConfused]);
  });

  it('knows nothing any more when the batch has ended', () => {
    const { isConfusable, clear } = confusableRows('card');
    const [one, other] = [CARD, LIKE_IT].map((card) => Buffer.from(`${cardRow(1, { card })}\n`));
    expect([isConfusable(one!, 0), isConfusable(other!, 0), isConfusable(other!, 0)]).toEqual([false, true, true]);
    clear();
    expect(isConfusable(other!, 0)).toBe(false);
  });
});
