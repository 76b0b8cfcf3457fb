import { describe, expect, it } from 'vitest';
import { tryProperty } from '../../support/random.ts';
import { cardLine, checkAll, cutBytes, rulesWith } from '../support.ts';
import { KeyedHash } from '../../../src/rows/keyed-hash.ts';
import { DuplicateRows, HASH_WORDS, hashPayment } from '../../../src/csv/check/duplicate-rows.ts';
import { checkPaymentFile } from '../../../src/csv/check/check-payment-file.ts';
import { reachableBytes } from '../reachable-bytes.ts';

/** See check-blocks.test.ts. */
describe('however the bytes are cut, for long', () => {
  it('the answer is the same', async () => {
    await tryProperty(cutBytes(Number.POSITIVE_INFINITY), 300);
  }, 300_000);
});

/** Memory that large files take. */
describe('memory', () => {
  it('does not grow with the rows of a file', async () => {
    const { rows, bytes, growth } = await measureRows(1_000_000);
    expect(rows).toBe(1_000_000);
    // Keeping the rows would take ten times the bytes. The check keeps a hash of each row to find duplicates.
    expect(growth).toBeLessThan(bytes / 2);
  }, 300_000);

  it('does not grow with the length of a line', async () => {
    const { bytes, growth } = await measureLine(3_200);
    expect(bytes).toBe(3_200 * LINE_PIECE_BYTES);
    expect(growth).toBeLessThan(1_000_000);
    const checked = await checkAll(Buffer.alloc(3_200 * LINE_PIECE_BYTES, 'x'));
    expect(checked).toMatchObject({ verdict: 'reject', physicalLines: 1, records: 1, bytes });
    expect(checked.rowFaults).toEqual([{ code: 'LINE_TOO_LONG', line: 1 }]);
  }, 300_000);
});

function payment(invoice: string, cents = 100, payer = 'C-1') {
  return { invoice, cents, payer };
}

describe('DuplicateRows', () => {
  it('names the first line of a payment each time it comes again', () => {
    const seen = new DuplicateRows();
    expect(seen.findFirstLine(payment('a'), 2)).toBe(0);
    expect(seen.findFirstLine(payment('b'), 3)).toBe(0);
    expect(seen.findFirstLine(payment('a'), 4)).toBe(2);
    expect(seen.findFirstLine(payment('a'), 5)).toBe(2);
    expect(seen.findFirstLine(payment('b'), 6)).toBe(3);
  });

  it.each([
    payment('b'),
    payment('a', 101),
    payment('a', -100),
    payment('a', 100 + 2 ** 32),
    payment('a', 100, 'C-2'),
    payment('aC', 100, '-1'),
    payment('', 100, 'aC-1'),
  ])('takes %j for another payment', (other) => {
    const seen = new DuplicateRows();
    seen.findFirstLine(payment('a'), 1);
    expect(seen.findFirstLine(other, 2)).toBe(0);
  });

  it('knows a payment in bytes again that came as text, and the other way round', () => {
    const seen = new DuplicateRows();
    const hasher = new KeyedHash(seen.hashKey);
    const hashes = new Uint32Array(2 * HASH_WORDS);
    const output = Buffer.from('1,Zoë-7,x,4222222222222220\nlater,4222222222222220');
    const places = { output, invoiceStart: 2, invoiceEnd: 8, payerStart: 11, payerEnd: 27, cents: 250 };
    hashPayment(hasher, places, hashes, 0);
    hashPayment(hasher, { ...places, invoiceStart: 28, invoiceEnd: 33, payerStart: 34, payerEnd: 50 }, hashes, 1);
    expect(seen.findFirstLine(payment('Zoë-7', 250, '4222222222222220'), 7)).toBe(0);
    expect(seen.findFirstLineOf(hashes, 0, 8)).toBe(7);
    expect(seen.findFirstLineOf(hashes, 1, 9)).toBe(0);
    expect(seen.findFirstLine(payment('later', 250, '4222222222222220'), 10)).toBe(9);
  });

  it('says the same whether the slots were fetched before or not', () => {
    const seen = new DuplicateRows();
    const hashes = Uint32Array.of(1, 2, 3, 4, 1, 2, 1, 5);
    seen.fetchSlots(hashes, 0, 4);
    const lines = [0, 1, 2, 3].map((row) => seen.findFirstLineOf(hashes, row, row + 10));
    expect(lines).toEqual([0, 0, 10, 0]);
    seen.fetchSlots(hashes, 0, 4);
    expect([0, 1, 2, 3].map((row) => seen.findFirstLineOf(hashes, row, row + 20))).toEqual([10, 11, 10, 13]);
  });

  it('takes texts of any length', () => {
    const seen = new DuplicateRows();
    const long = payment('山'.repeat(1_000), 100, 'x'.repeat(1_000));
    expect(seen.findFirstLine(long, 1)).toBe(0);
    expect(seen.findFirstLine({ ...long, payer: `${long.payer.slice(1)}y` }, 2)).toBe(0);
    expect(seen.findFirstLine(long, 3)).toBe(1);
  });

  it.each([
    ['nothing is expected', 0],
    ['as many rows are expected as come', 70_000],
    ['fewer', 65_000],
    ['many more', 1_000_000],
  ])('forgets nothing and invents nothing as it grows, when %s', (_about, expected) => {
    const seen = new DuplicateRows(() => expected);
    const count = 140_000;
    const first = Array.from({ length: count }, (_, index) => seen.findFirstLine(payment(`INV-${index}`), index + 1));
    expect(first.filter((line) => line !== 0)).toEqual([]);
    const again = Array.from({ length: count }, (_, index) =>
      seen.findFirstLine(payment(`INV-${index}`), count + index + 1),
    );
    expect(again.filter((line, index) => line !== index + 1)).toEqual([]);
  });

  it('starts empty for each file', () => {
    new DuplicateRows().findFirstLine(payment('a'), 1);
    expect(new DuplicateRows().findFirstLine(payment('a'), 1)).toBe(0);
  });
});

/** Result of a complete check: its rows, the size of the file, and how far the memory it holds grew. */
type Measured = { readonly rows: number; readonly bytes: number; readonly growth: number };

const LOOKS = 8;

/**
 * Checks a file and measures how far held memory rises above its level after an eighth of the pieces. By then all code
 * is compiled and all tables have their first size.
 */
async function measureCheck(pieces: number, makePiece: (index: number) => Buffer): Promise<Measured> {
  const sum = { rows: 0, bytes: 0 };
  const looks: number[] = [];
  async function* source(): AsyncGenerator<Buffer> {
    for (let index = 0; index < pieces; index += 1) {
      const piece = makePiece(index);
      sum.bytes += piece.length;
      yield piece;
      if (index % Math.ceil(pieces / LOOKS) === 0) looks.push(reachableBytes());
    }
    looks.push(reachableBytes());
  }
  for await (const { packed } of checkPaymentFile(source(), rulesWith())) sum.rows += packed.count;
  const [, early = 0, ...later] = looks;
  return { ...sum, growth: Math.max(...later) - early };
}

const PIECE_ROWS = 500;

/** Measures a file of that many rows, each with an invoice of its own. */
function measureRows(rows: number): Promise<Measured> {
  return measureCheck(rows / PIECE_ROWS, (index) => {
    const lines = Array.from({ length: PIECE_ROWS }, (_, n) => cardLine({ invoice: `N-${index * PIECE_ROWS + n}` }));
    return Buffer.from(lines.map((line) => `${line}\n`).join(''));
  });
}

const LINE_PIECE_BYTES = 65_536;

/** Measures one line without an end, in that many pieces, each with bytes of its own. */
function measureLine(pieces: number): Promise<Measured> {
  return measureCheck(pieces, () => Buffer.alloc(LINE_PIECE_BYTES, 'x'));
}
