import { stringify } from 'csv-stringify/sync';
import { guardCell } from './guard-cell.ts';

const NO_COLUMNS: ReadonlySet<number> = new Set();

/**
 * Returns a function that writes a CSV line with a CRLF end, quoted where CSV needs it.
 * @param options.guard for files that users open: a cell that a spreadsheet would run as a formula gets a leading
 *   apostrophe (guard-cell.ts). Plain decimals in the amount columns stay numbers
 * @returns the function; its second argument holds the indexes of the amount columns
 */
export function csvLines(
  options: { guard?: boolean } = {},
): (cells: readonly string[], amountColumns?: ReadonlySet<number>) => string {
  if (!options.guard) return writeLine;
  return (cells, amountColumns = NO_COLUMNS) => {
    return writeLine(cells.map((cell, place) => (amountColumns.has(place) ? guardAmount(cell) : guardCell(cell))));
  };
}

/** Exempts amounts, not everything in an amount column: the cells of a faulty row are the sender's. */
function guardAmount(cell: string): string {
  return /^-?\d+(?:\.\d+)?$/.test(cell) ? cell : guardCell(cell);
}

function writeLine(cells: readonly string[]): string {
  if (cells.some((cell) => LINE_BREAK.test(cell)))
    return stringify([[...cells]], { record_delimiter: '\r\n', quote_record_delimiter: true });
  // csv-stringify creates a stream per call, so lines that need no more than this are written here.
  return `${cells.map(quoteCell).join(',')}\r\n`;
}

const LINE_BREAK = /[\r\n]/;

function quoteCell(cell: string): string {
  return /[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
