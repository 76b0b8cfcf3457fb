import { isUtf8 } from 'node:buffer';
import type { ColumnName } from '../../schemas/columns.ts';
import { COMMA, LF, MINUS, POINT, ZERO } from '../../src/kernel/byte-names.ts';
import { counted } from '../../src/kernel/counted.ts';
import { PipelineError } from '../../src/kernel/errors.ts';

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
