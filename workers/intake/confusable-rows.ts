import { columnsOf, type LayoutName } from '../../schemas/layouts.ts';
import { cellEnd, cellStart } from '../../src/csv/write/packed-rows.ts';
import { lastFour } from '../../src/kernel/mask.ts';

/** Rows of one batch. */
export type ConfusableRows = {
  /**
   * Returns whether a row could be mistaken for an added one in a result that shows only the end of its number. If not,
   * adds it.
   * @param start where the row begins in `bytes`: cells with commas between them and a line feed at the end
   */
  isConfusable(bytes: Uint8Array, start: number): boolean;
  clear(): void;
};

/**
 * Finds rows of one invoice and amount whose different numbers end alike. In one batch, answers in another order could
 * swap the outcomes of two payers unnoticed. Customer codes are shown whole in the result, so those rows are safe.
 */
export function confusableRows(layout: LayoutName): ConfusableRows {
  const columns = columnsOf(layout);
  const invoice = columns.indexOf('invoice');
  const amount = columns.indexOf('amount');
  const number = columns.findIndex((name) => name === 'cardNumber' || name === 'accountNumber');
  if (number < 0) return { isConfusable: () => false, clear: () => {} };
  /**
   * Numbers by a hash of invoice, amount and last two digits, which results show of all but short numbers. A collision
   * costs a cut at most.
   */
  const seen = new Map<number, string[]>();
  /** Short numbers by invoice and amount: the service may hide them whole, and then all look alike. */
  const short = new Map<number, string>();

  return {
    isConfusable: (bytes, start) => {
      const numberAt = cellStart(bytes, start, number);
      const numberEnd = cellEnd(bytes, numberAt);
      const digits = Buffer.from(bytes.buffer, bytes.byteOffset + numberAt, numberEnd - numberAt).toString('latin1');
      const paid = hashCell(hashCell(START, bytes, start, invoice), bytes, start, amount);
      const key = hash(paid, bytes, numberEnd - Math.min(2, numberEnd - numberAt), numberEnd);
      const others = seen.get(key) ?? [];
      if (others.some((other) => other !== digits && endAlike(lastFour(other), lastFour(digits)))) return true;
      const isShort = lastFour(digits).length < 4;
      if (isShort && (short.get(paid) ?? digits) !== digits) return true;
      if (isShort) short.set(paid, digits);
      seen.set(key, [...others, digits]);
      return false;
    },
    clear: () => {
      seen.clear();
      short.clear();
    },
  };
}

function endAlike(one: string, other: string): boolean {
  return one.endsWith(other) || other.endsWith(one);
}

const START = 0x811c9dc5;

function hashCell(from: number, bytes: Uint8Array, row: number, column: number): number {
  const at = cellStart(bytes, row, column);
  return hash(from, bytes, at, cellEnd(bytes, at));
}

/** Returns FNV-1a with a mark after it, which keeps cells apart. */
function hash(from: number, bytes: Uint8Array, start: number, end: number): number {
  let sum = from;
  for (let at = start; at < end; at += 1) sum = Math.imul(sum ^ bytes[at]!, 0x01000193);
  return Math.imul(sum ^ 0xff, 0x01000193);
}
