import { type CsvError, type Options, parse } from 'csv-parse/sync';
import type { RawRow } from '../../rows/rows.ts';
import { unguardCell } from '../write/guard-cell.ts';
import type { Line } from './split-lines.ts';
import { COMMA, QUOTE, SPACE } from '../../kernel/byte-names.ts';

/** A line read as cells, or without cells and with the reason why it cannot be read. */
export type LineRecord = RawRow & { readonly fault?: UnreadableFault };

export type UnreadableFault = { readonly code: UnreadableCode; readonly detail?: string };
export type UnreadableCode = 'LINE_TOO_LONG' | 'ENCODING' | 'CONTROL_CHARACTER' | 'STRAY_QUOTE' | 'LINE_BREAK';

/**
 * Reads each line as one record. A record never runs past its line, so two stray quotes cannot merge two payments into
 * one row that looks right.
 *
 * Lines without quotes are split at commas, and simply quoted cells by `splitQuoted`. Other lines go to csv-parse
 * together, because one call per line takes far longer. If that fails or a quoted cell runs into the next line, each is
 * parsed alone to find the wrong one.
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

/** Does the same for lines of a payment file, whose cells may be guarded because users drop paydrop's outputs again. */
export function splitPayments(lines: readonly Line[]): LineRecord[] {
  return splitCells(lines).map((record) => ({ ...record, cells: record.cells.map(unguardCell) }));
}

/** Control characters, the two separators that many programs treat as line ends, and the mark of invalid bytes. */
const UNREADABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufffd]/;

/** Returns why a line cannot be read as text, and where. */
export function findUnreadable(line: Line, unreadable = UNREADABLE): UnreadableFault | undefined {
  if (line.tooLong) return { code: 'LINE_TOO_LONG' };
  const at = line.text.search(unreadable);
  if (at < 0) return undefined;
  const character = line.text.charCodeAt(at);
  if (character === 0xfffd) return { code: 'ENCODING', detail: `character ${at + 1} of the line` };
  const name = character.toString(16).toUpperCase().padStart(4, '0');
  return { code: 'CONTROL_CHARACTER', detail: `U+${name} is character ${at + 1} of the line` };
}

const OPTIONS: Options = { record_delimiter: '\n', relax_column_count: true, trim: true };

function parseTogether(lines: readonly Line[]): string[][] | undefined {
  if (lines.length === 0) return undefined;
  try {
    const records = parse(lines.map((line) => line.text).join('\n'), OPTIONS);
    return records.length === lines.length ? records : undefined;
  } catch {
    return undefined;
  }
}

/** Parses one line, so its fault does not depend on the others. Formulas matter only if it is otherwise unreadable. */
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
 * Quotes a cell such as `="00123"`, which spreadsheets use to keep leading zeros and CSV does not allow. The row can
 * then be read and the cell reported as spreadsheet damage.
 */
function quoteFormulas(text: string): string {
  return text.replace(/(^|,)="([^",]*)"(?=,|$)/g, '$1"=""$2"""');
}

function quoteFaultOf(error: unknown): 'LINE_BREAK' | 'STRAY_QUOTE' {
  return (error as CsvError).code === 'CSV_QUOTE_NOT_CLOSED' ? 'LINE_BREAK' : 'STRAY_QUOTE';
}

/** A cell, unquoted or in quotes that hold none, up to the next comma or the end of the line. */
const CELL = / *(?:"([^"]*)" *|([^",]*))(,|$)/y;

/**
 * Splits a line at its commas, provided that each quote opens or closes a cell, as in most lines.
 * @returns undefined for any other line, which goes to csv-parse; parsing one line there takes twenty times as long
 */
export function splitQuoted(text: string): string[] | undefined {
  const cells: string[] = [];
  CELL.lastIndex = 0;
  for (;;) {
    const [, quoted, plain = '', comma] = CELL.exec(text) ?? [];
    if (comma === undefined) return undefined;
    // csv-parse and JavaScript do not agree exactly on white space before a cell.
    if (plain.trimStart() !== plain) return undefined;
    cells.push(quoted ?? plain.trimEnd());
    if (comma === '') return cells;
  }
}

/** Splits a line of a file that may separate its cells by another sign, as paydrop's own outputs do. */
export function splitSeparated(text: string, delimiter: string): string[] {
  if (!text.includes('"')) return text.split(delimiter);
  const [cells = []]: string[][] = parse(text, { ...OPTIONS, delimiter, trim: false });
  return cells;
}

/**
 * Returns whether a line of printable ASCII with quotes is a plain row, which can be split without a CSV parser. Commas
 * stand only between cells or inside a fully quoted cell, which holds no other quote. Spaces around an unquoted cell
 * are not part of it, so a line that has them is not plain. csv-parse, which reads all other lines, finds the same cells.
 */
export function isPlainlyQuoted(bytes: Buffer, start: number, end: number): boolean {
  for (let cell = start; cell <= end; ) {
    const isQuoted = bytes[cell] === QUOTE && cell < end;
    let place = isQuoted ? cell + 1 : cell;
    const stop = isQuoted ? QUOTE : COMMA;
    while (place < end && bytes[place] !== stop) {
      if (bytes[place] === QUOTE) return false;
      place += 1;
    }
    if (isQuoted) {
      place += 1;
      if (place > end || (place < end && bytes[place] !== COMMA)) return false;
    } else if (place > cell && (bytes[cell] === SPACE || bytes[place - 1] === SPACE)) return false;
    cell = place + 1;
  }
  return true;
}

/** Returns where the cell at `start` of a plain row ends: at the next comma or the end of the row. */
export function endOfCell(bytes: Buffer, start: number, end: number): number {
  let place = start;
  if (bytes[place] === QUOTE && place < end) {
    place += 1;
    while (bytes[place] !== QUOTE) place += 1;
  }
  while (place < end && bytes[place] !== COMMA) place += 1;
  return place;
}

/** Returns the cells of a plain row. */
export function splitPlainRow(text: string): string[] {
  if (!text.includes('"')) return text.split(',');
  const cells: string[] = [];
  for (let cell = 0; cell <= text.length; ) {
    const isQuoted = text[cell] === '"';
    const end = isQuoted ? text.indexOf('"', cell + 1) : text.indexOf(',', cell);
    const stop = end < 0 ? text.length : end;
    cells.push(text.slice(isQuoted ? cell + 1 : cell, stop));
    cell = isQuoted ? stop + 2 : stop + 1;
  }
  return cells;
}
