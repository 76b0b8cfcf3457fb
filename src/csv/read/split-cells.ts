import { type CsvError, type Options, parse } from 'csv-parse/sync';
import type { RawRow } from '../../rows/rows.ts';
import { unguardCell } from '../write/guard-cell.ts';
import { splitQuoted } from './split-quoted.ts';
import type { Line } from './split-lines.ts';

/** A line read as cells, or the reason why that cannot be done; it has no cells then. */
export type LineRecord = RawRow & { readonly fault?: UnreadableFault };

export type UnreadableFault = { readonly code: UnreadableCode; readonly detail?: string };
export type UnreadableCode = 'LINE_TOO_LONG' | 'ENCODING' | 'CONTROL_CHARACTER' | 'STRAY_QUOTE' | 'LINE_BREAK';

/**
 * Reads each line as one record. A record can never run over the end of its line, so two stray quotes cannot merge two
 * payments into one row that looks right.
 *
 * A line without a quote is split at its commas, which is all that CSV means there. Lines with stranger quotes than
 * those around a cell go to csv-parse together, because it takes far longer for one line at a time; only when it finds
 * fault with them, or a quoted cell ran into the next line, each is read by itself to learn which line is wrong.
 */
export function splitCells(lines: readonly Line[]): LineRecord[] {
  const strange: Line[] = [];
  const records = lines.map((line): LineRecord | undefined => {
    const fault = findUnreadable(line);
    if (fault) return { line: line.number, cells: [], fault };
    const cells = line.text.includes('"') ? splitQuoted(line.text) : line.text.split(',');
    if (!cells) strange.push(line);
    return cells && { line: line.number, cells };
  });
  const read = parseTogether(strange);
  let next = 0;
  return records.map((record) => {
    if (record) return record;
    const line = strange[next]!;
    const cells = read?.[next];
    next += 1;
    return cells ? { line: line.number, cells } : parseAlone(line);
  });
}

/** The same for lines of a payment file, in which cells may be guarded, since our own outputs are dropped again. */
export function splitPayments(lines: readonly Line[]): LineRecord[] {
  return splitCells(lines).map((record) => ({ ...record, cells: record.cells.map(unguardCell) }));
}

/** Control characters, and the two separators that many programs take for line ends; then the mark of bad bytes. */
const UNREADABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufffd]/;

function findUnreadable(line: Line): UnreadableFault | undefined {
  if (line.tooLong) return { code: 'LINE_TOO_LONG' };
  const at = line.text.search(UNREADABLE);
  if (at < 0) return undefined;
  const character = line.text.charCodeAt(at);
  if (character === 0xfffd) return { code: 'ENCODING', detail: `character ${at + 1} of the line` };
  const name = character.toString(16).toUpperCase().padStart(4, '0');
  return { code: 'CONTROL_CHARACTER', detail: `U+${name} is character ${at + 1} of the line` };
}

const OPTIONS: Options = { record_delimiter: '\n', relax_column_count: true, trim: true };

/** One record per line, or undefined when that is not what came out. */
function parseTogether(lines: readonly Line[]): string[][] | undefined {
  if (lines.length === 0) return undefined;
  try {
    const records = parse(lines.map((line) => line.text).join('\n'), OPTIONS);
    return records.length === lines.length ? records : undefined;
  } catch {
    return undefined;
  }
}

/** What is said of a line does not depend on the others: its formulas matter only when it cannot be read as it is. */
function parseAlone(line: Line): LineRecord {
  const read = readAlone(line.text);
  const quoted = quoteFormulas(line.text);
  const formulas = 'code' in read && quoted !== line.text ? readAlone(quoted) : read;
  return 'code' in formulas
    ? { line: line.number, cells: [], fault: formulas }
    : { line: line.number, cells: formulas };
}

function readAlone(text: string): string[] | UnreadableFault {
  try {
    const [cells = []] = parse(text, OPTIONS);
    return cells;
  } catch (error) {
    return { code: quoteFaultOf(error) };
  }
}

/**
 * A cell written `="00123"`, which spreadsheets use to keep leading zeros, has quotes where CSV allows none. It is
 * quoted here so that the row is read and the cell itself is reported as spreadsheet damage.
 */
function quoteFormulas(text: string): string {
  return text.replace(/(^|,)="([^",]*)"(?=,|$)/g, '$1"=""$2"""');
}

function quoteFaultOf(error: unknown): 'LINE_BREAK' | 'STRAY_QUOTE' {
  return (error as CsvError).code === 'CSV_QUOTE_NOT_CLOSED' ? 'LINE_BREAK' : 'STRAY_QUOTE';
}
