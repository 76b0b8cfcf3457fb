import { stringify } from 'csv-stringify/sync';
import { parse } from 'csv-parse/sync';
import { guardCell } from './guard-cell.ts';
import { PipelineError } from '../../kernel/errors.ts';

const NO_COLUMNS: ReadonlySet<number> = new Set();

/** How the cells of a file are separated, and the decimal sign of its amounts. */
export type CsvForm = { readonly delimiter: keyof typeof DELIMITERS; readonly decimal: 'point' | 'comma' };

export const DELIMITERS = { comma: ',', semicolon: ';', tab: '\t' } as const;

export const PLAIN_FORM: CsvForm = { delimiter: 'comma', decimal: 'point' };

/**
 * Returns a function that writes a CSV line with a CRLF end, quoted where CSV needs it.
 * @param options.guard for files that users open: a cell that a spreadsheet would run as a formula gets a leading
 *   apostrophe (guard-cell.ts). Plain decimals in the amount columns stay numbers
 * @returns the function; its second argument holds the indexes of the amount columns
 */
export function csvLines({
  guard = false,
  form = PLAIN_FORM,
}: {
  guard?: boolean;
  form?: CsvForm;
} = {}): (cells: readonly string[], amountColumns?: ReadonlySet<number>) => string {
  const delimiter = DELIMITERS[form.delimiter];
  const isAmount = form.decimal === 'comma' ? /^-?\d+(?:[.,]\d+)?$/ : /^-?\d+(?:\.\d+)?$/;
  if (!guard) return (cells) => writeLine(cells, delimiter);
  return (cells, amountColumns = NO_COLUMNS) => {
    // Amounts are exempt, not everything in an amount column: the cells of a faulty row are the sender's.
    const guarded = cells.map((cell, place) =>
      amountColumns.has(place) && isAmount.test(cell) ? cell : guardCell(cell),
    );
    return writeLine(guarded, delimiter);
  };
}

function writeLine(cells: readonly string[], delimiter: string): string {
  if (cells.some((cell) => LINE_BREAK.test(cell)))
    return stringify([[...cells]], { delimiter, record_delimiter: '\r\n', quote_record_delimiter: true });
  // csv-stringify creates a stream per call, so lines that need no more than this are written here.
  return `${cells.map((cell) => quoteCell(cell, delimiter)).join(delimiter)}\r\n`;
}

const LINE_BREAK = /[\r\n]/;

/** Quotes a cell that holds a quote or the delimiter; not one with line ends. */
export function quoteCell(cell: string, delimiter: string): string {
  return cell.includes('"') || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell;
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
