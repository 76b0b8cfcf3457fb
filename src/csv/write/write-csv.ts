import { stringify } from 'csv-stringify/sync';
import { parse } from 'csv-parse/sync';
import { guardCell } from './guard-cell.ts';
import { PipelineError } from '../../kernel/errors.ts';

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

/**
 * Rewrites a CSV of another system so that users can open it safely: formulas get a leading apostrophe. Columns whose
 * title mentions an amount keep their decimals as numbers.
 * @throws PipelineError INTERNAL for text that is not CSV; it never quotes the text
 */
export function guardCsv(text: string): string {
  const records = readRecords(text);
  const titles = records[0] ?? [];
  const amounts = new Set(titles.flatMap((title, place) => (/amount/i.test(title) ? [place] : [])));
  const lineOf = csvLines({ guard: true });
  return records.map((cells) => lineOf(cells, amounts)).join('');
}

function readRecords(text: string): string[][] {
  try {
    return parse(text, { bom: true, relax_column_count: true, relax_quotes: true, skip_empty_lines: true });
  } catch {
    throw new PipelineError('INTERNAL', 'read a CSV of the service', 'it is not CSV');
  }
}
