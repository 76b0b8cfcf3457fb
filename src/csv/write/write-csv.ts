import { stringify } from 'csv-stringify/sync';
import { guardCell } from './guard-cell.ts';

const NO_COLUMNS: ReadonlySet<number> = new Set();

/**
 * Makes lines of CSV with CRLF ends, quoted where CSV needs it.
 * @param options.guard the file is meant for people: a cell that a spreadsheet would run as a formula gets an
 *   apostrophe in front (guard-cell.ts). Plain decimals in the amount columns stay numbers
 * @returns the line of some cells; its second argument is the places of the amount columns
 */
export function csvLines(
  options: { guard?: boolean } = {},
): (cells: readonly string[], amountColumns?: ReadonlySet<number>) => string {
  if (!options.guard) return writeLine;
  return (cells, amountColumns = NO_COLUMNS) => {
    return writeLine(cells.map((cell, place) => (amountColumns.has(place) ? guardAmount(cell) : guardCell(cell))));
  };
}

/** Exempt is what is an amount, not whatever stands in the amount column: the cells of a faulty row are the sender's. */
function guardAmount(cell: string): string {
  return /^-?\d+(?:\.\d+)?$/.test(cell) ? cell : guardCell(cell);
}

function writeLine(cells: readonly string[]): string {
  if (cells.some((cell) => LINE_BREAK.test(cell)))
    return stringify([[...cells]], { record_delimiter: '\r\n', quote_record_delimiter: true });
  // csv-stringify builds a stream for each call, so lines in which it would do no more than this are made here.
  return `${cells.map(quoteCell).join(',')}\r\n`;
}

const LINE_BREAK = /[\r\n]/;

function quoteCell(cell: string): string {
  return /[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
