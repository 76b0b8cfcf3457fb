import { isUtf8 } from 'node:buffer';
import type { ColumnName } from '../../schemas/columns.ts';
import { columnsOf, type LayoutName } from '../../schemas/layouts.ts';
import type { FolderOperation } from '../../schemas/operations.ts';
import { areSameBytes, cutCells, dropSpaces, readCents, skipSpaces } from '../rows/cut-cells.ts';
import { outcomePacker, type PackedOutcomes } from '../rows/packed-outcomes.ts';
import type { OutcomeTotals, Totals } from '../rows/rows.ts';
import { type SentText, sentTextReader } from '../rows/sent-text.ts';
import { messagePacker } from './pack-message.ts';

export type PlainMatch = { outcomes: PackedOutcomes; totals: OutcomeTotals };

/**
 * Reads and matches a typical result file: plain lines, as many as were sent, every row in its place. It scans the
 * bytes once. `readResultFile`, `matchResults` and `reconcileRows` make objects of each row and take about twenty times
 * as long. Whatever it accepts they would match with the same outcomes; anything unusual is left to them.
 * @returns undefined for a result that is not plain, or does not match these rows
 */
export function matchPlain(
  { layout, operation, sent }: { layout: LayoutName; operation: FolderOperation; sent: SentText },
  bytes: Buffer,
): PlainMatch | undefined {
  if (!isUtf8(bytes) || bytes[0] === MARK) return undefined;
  const isSameRow = rowComparer(layout, sent, bytes);
  const messages = messagePacker(operation, outcomePacker(sent.rows), bytes);
  const columns = columnsOf(layout).length;
  const cells = new Uint32Array(columns + 3);
  const totals: OutcomeTotals = {};
  let rows = 0;
  for (let next = 0; next < bytes.length; next = cells[columns + 2]!) {
    const found = cutCells(bytes, next, cells);
    if (found === 1 && cells[columns + 1] === next + 1) continue;
    if (found <= columns || cells[columns + 2]! - next > LONGEST_LINE) return undefined;
    const row = isSameRow(cells);
    if (!row) return undefined;
    const endsOpen = cells[columns + 2]! > bytes.length;
    const outcome = messages.add(row.line, cells[columns]!, cells[columns + 1]! - 1, endsOpen);
    addTo((totals[outcome] ??= { rows: 0, cents: 0 }), row.cents);
    rows += 1;
  }
  return rows === sent.rows ? { outcomes: messages.finish(), totals } : undefined;
}

/** First byte of a byte order mark, which the reader of any result removes. */
const MARK = 0xef;
/** In bytes; longer lines follow rules of their own (`csv/read/split-lines.ts`). */
const LONGEST_LINE = 16_000;

function addTo(total: { -readonly [Part in keyof Totals]: Totals[Part] }, cents: number): void {
  total.rows += 1;
  total.cents += cents;
}

/**
 * Returns a function that compares the next sent row with a line cut into cells. Invoice, customer code and cents must
 * match, and the number must end alike (control total H6). Spaces around a cell do not count.
 * @returns the row, or undefined when they differ or no row is left
 */
function rowComparer(layout: LayoutName, sent: SentText, bytes: Buffer) {
  const placeOf = (column: ColumnName) => columnsOf(layout).indexOf(column);
  const [invoice, code, amount] = [placeOf('invoice'), placeOf('customerCode'), placeOf('amount')];
  const number = Math.max(placeOf('cardNumber'), placeOf('accountNumber'));
  const row = sentTextReader(sent);

  const isSameCell = (cells: Uint32Array, column: number, kept: number, mayBeLonger: boolean): boolean => {
    const keptFrom = row.places[kept]!;
    const keptTo = row.places[kept + 1]! - 1;
    if (column < 0) return keptFrom === keptTo;
    const from = skipSpaces(bytes, cells[column]!, cells[column + 1]! - 1);
    const to = dropSpaces(bytes, from, cells[column + 1]! - 1);
    const start = mayBeLonger && keptTo > keptFrom ? Math.max(from, to - (keptTo - keptFrom)) : from;
    return areSameBytes(bytes, start, to, row.bytes, keptFrom, keptTo);
  };

  return (cells: Uint32Array): typeof row | undefined => {
    if (!row.read()) return undefined;
    const from = skipSpaces(bytes, cells[amount]!, cells[amount + 1]! - 1);
    const isSame =
      readCents(bytes, from, dropSpaces(bytes, from, cells[amount + 1]! - 1)) === row.cents &&
      isSameCell(cells, invoice, row.invoice, false) &&
      isSameCell(cells, code, row.customerCode, false) &&
      isSameCell(cells, number, row.lastFour, true);
    return isSame ? row : undefined;
  };
}
