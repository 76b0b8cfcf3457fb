import { isUtf8 } from 'node:buffer';
import { type ColumnName, columnsOf, type LayoutName } from '../../../schemas/layouts.ts';
import { CR, NINE, POINT, ZERO } from '../../kernel/byte-names.ts';
import { areSameBytes, cutCells, readCents } from '../../rows/cut-cells.ts';
import { type SentText, sentTextReader } from '../../rows/sent-text.ts';

/**
 * Returns whether the bytes of a batch match its rows in the ledger (control total H5). It compares their count and
 * each row's invoice, customer code, cents and end of the number. It reads as the service does, a row per line feed and
 * a cell per comma. It shares no code with the check or the row writer.
 *
 * True is certain; false is not. Anything unusual is left to `readCanonical`, which also says what is wrong.
 */
export function holdsSentRows(body: Buffer, layout: LayoutName, sent: SentText): boolean {
  if (!isUtf8(body) || body.includes(CR)) return false;
  const columns = columnsOf(layout);
  const placeOf = (column: ColumnName) => columns.indexOf(column);
  const invoice = placeOf('invoice');
  const code = placeOf('customerCode');
  const amount = placeOf('amount');
  const number = Math.max(placeOf('cardNumber'), placeOf('accountNumber'));
  const row = sentTextReader(sent);
  const cells = new Uint32Array(columns.length + 2);
  let next = 0;
  for (let left = sent.rows; left > 0; left -= 1) {
    if (next >= body.length || cutCells(body, next, cells) !== columns.length || !row.read()) return false;
    next = cells[columns.length + 1]!;
    if (readCanonicalCents(body, cells[amount]!, cells[amount + 1]! - 1) !== row.cents) return false;
    if (!isSameCell(body, cells, invoice, row, row.invoice)) return false;
    if (!isSameCell(body, cells, code, row, row.customerCode)) return false;
    if (!endsWithLastFour(body, cells, number, row)) return false;
  }
  // The last row has no line feed, so the next position is past the end.
  return next === body.length + 1 && row.isAtEnd();
}

type Row = ReturnType<typeof sentTextReader>;

/** @param column -1 when the layout lacks the column; the ledger's cell must then be empty */
function isSameCell(body: Uint8Array, cells: Uint32Array, column: number, row: Row, kept: number): boolean {
  const keptFrom = row.places[kept]!;
  const keptTo = row.places[kept + 1]! - 1;
  if (column < 0) return keptFrom === keptTo;
  return areSameBytes(body, cells[column]!, cells[column + 1]! - 1, row.bytes, keptFrom, keptTo);
}

/** Same as `lastFour` (kernel/mask.ts) for a digits-only number: four of 8 or more, two of 4 to 7. */
function endsWithLastFour(body: Uint8Array, cells: Uint32Array, column: number, row: Row): boolean {
  const keptFrom = row.places[row.lastFour]!;
  const keptTo = row.places[row.lastFour + 1]! - 1;
  if (column < 0) return keptFrom === keptTo;
  const from = cells[column]!;
  const to = cells[column + 1]! - 1;
  const shown = to - from >= 8 ? 4 : 2;
  if (to - from < 4 || !areDigits(body, from, to)) return false;
  return areSameBytes(body, to - shown, to, row.bytes, keptFrom, keptTo);
}

function areDigits(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (bytes[at]! < ZERO || bytes[at]! > NINE) return false;
  return true;
}

function readCanonicalCents(body: Uint8Array, from: number, to: number): number | undefined {
  return body[to - 3] === POINT ? readCents(body, from, to) : undefined;
}
