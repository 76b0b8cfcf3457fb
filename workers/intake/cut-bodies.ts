import { isUtf8 } from 'node:buffer';
import { type ColumnName, columnsOf, type LayoutName } from '../../schemas/layouts.ts';
import { cellEnd, cellStart, type PackedRows } from '../../src/csv/write/packed-rows.ts';
import { sha256Of } from '../../src/kernel/hash.ts';
import { COMMA, LF, MINUS, POINT, ZERO } from '../../src/kernel/byte-names.ts';
import { counted } from '../../src/kernel/counted.ts';
import { PipelineError } from '../../src/kernel/errors.ts';
import { lastFour } from '../../src/kernel/mask.ts';
import { type MostRows, mostRowsNext } from '../../src/rows/rows.ts';

/** The body of a batch: exactly the bytes that will be sent, checked by a second reader. */
type Body = {
  readonly bytes: Buffer;
  readonly sha256: string;
  readonly rows: number;
  readonly cents: number;
  readonly firstLine: number;
  readonly lastLine: number;
};

/** Returns the purpose that the seal of a batch body is bound to. */
export function bodyPurpose(batchNo: number): string {
  return `body:${batchNo}`;
}

/**
 * Gathers the bytes of rows until a batch is full, or the next row could be confused with one in it. It holds one batch
 * and reuses the memory.
 */
export function bodyCutter(maxRows: MostRows, layout: LayoutName) {
  const confusable = confusableRows(layout);
  let bytes = Buffer.alloc(FIRST_BYTES);
  let at = 0;
  /** Of the current batch. */
  let most = mostRowsNext(maxRows, 0);
  let cents = new Float64Array(most);
  let rows = 0;
  let rowsBefore = 0;
  let firstLine = 0;
  let lastLine = 0;

  /** Returns the row up to which the current batch takes the group; `from` itself when a cut comes first. */
  function endOfRoom({ bytes: group, starts }: PackedRows, from: number, to: number): number {
    const end = Math.min(to, from + most - rows);
    for (let row = from; row < end; row += 1) if (confusable.isConfusable(group, starts[row]!)) return row;
    return end;
  }

  function add(packed: PackedRows, from: number, to: number): void {
    if (from === to) return;
    const run = packed.bytes.subarray(packed.starts[from], packed.starts[to]);
    if (at + run.length > bytes.length) bytes = Buffer.concat([bytes], 2 * (at + run.length));
    bytes.set(run, at);
    at += run.length;
    cents.set(packed.cents.subarray(from, to), rows);
    if (rows === 0) firstLine = packed.lines[from]!;
    lastLine = packed.lines[to - 1]!;
    rows += to - from;
  }

  /**
   * Returns the body of the rows since the last cut, without its last line end; undefined when there are none.
   * @throws PipelineError BODY_MISMATCH
   */
  function cut(): Body | undefined {
    if (rows === 0) return undefined;
    const body = bytes.subarray(0, at - 1);
    const sum = checkBody(body, columnsOf(layout), cents.subarray(0, rows));
    const made = { bytes: body, sha256: sha256Of(body), rows, cents: sum, firstLine, lastLine };
    at = 0;
    rowsBefore += rows;
    rows = 0;
    most = mostRowsNext(maxRows, rowsBefore);
    if (most > cents.length) cents = new Float64Array(2 * most);
    confusable.clear();
    return made;
  }

  return { endOfRoom, add, isFull: () => rows === most, cut };
}

const FIRST_BYTES = 16_384;

/**
 * Verifies that the bytes of a batch are its rows, before they are sealed (control total H5). It reads them as the
 * service does: a row per line feed, a cell per comma, no quoting. It compares the number of rows, the cells of each
 * row, and the amounts. It shares no code with the check and the writer on purpose, so that their mistakes show here.
 * It creates no objects, because a file may have a million rows.
 * @param cents of each row, as the check read them
 * @returns the sum of the amounts as read here
 * @throws PipelineError BODY_MISMATCH with the first row that differs; never with a value of it
 */
export function checkBody(body: Uint8Array, columns: readonly ColumnName[], cents: Float64Array): number {
  // A zero byte is valid UTF-8, but the ledger cannot store it.
  if (!isUtf8(body) || body.includes(0)) throw mismatch(0, 'its bytes are no text');
  const amountColumn = columns.indexOf('amount');
  let sum = 0;
  let row = 0;
  let column = 0;
  let start = 0;
  const end = body.length;
  for (let at = 0; at <= end; at += 1) {
    const byte = at < end ? body[at]! : LF;
    // Most bytes are letters and digits, which come after both in ASCII.
    if (byte > COMMA || (byte !== COMMA && byte !== LF)) continue;
    if (column === amountColumn) sum += readAmount(body, start, at, row, cents);
    column += 1;
    start = at + 1;
    if (byte === COMMA) continue;
    if (column !== columns.length) throw mismatch(row, `${counted(column, 'column')}, expected ${columns.length}`);
    column = 0;
    row += 1;
  }
  if (row !== cents.length) throw mismatch(0, `${counted(row, 'row')} read, ${cents.length} written`);
  return sum;
}

/** Reads an amount in its only form: an optional minus, digits, a point and two digits. */
function readAmount(body: Uint8Array, start: number, end: number, row: number, cents: Float64Array): number {
  const first = body[start] === MINUS ? start + 1 : start;
  const point = end - 3;
  if (point <= first || body[point] !== POINT) throw mismatch(row, 'the amount is not canonical');
  let amount = 0;
  for (let at = first; at < end; at += 1) {
    if (at === point) continue;
    const digit = body[at]! - ZERO;
    if (digit < 0 || digit > 9) throw mismatch(row, 'the amount is not canonical');
    amount = amount * 10 + digit;
  }
  const signed = first === start ? amount : -amount;
  if (signed !== cents[row]) throw mismatch(row, 'the amount differs');
  return signed;
}

function mismatch(index: number, reason: string): PipelineError {
  return new PipelineError('BODY_MISMATCH', `read row ${index + 1} of the batch back`, reason);
}

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
