import { isAscii, isUtf8 } from 'node:buffer';
import { type Profile, SEPARATORS, type SeparatorName } from '../../../schemas/profiles.ts';
import { readWindows1252 } from '../../rows/windows-1252.ts';
import type { SourceRow } from '../profile/read/text-rows.ts';
import { withShownSums } from '../profile/read/typed-cells.ts';
import type { Sheet } from '../workbook/workbook-rows.ts';
import { cellSplitter, endsInQuotes } from '../profile/read/split-dialect.ts';

type Charset = Extract<Profile['read'], { kind: 'text' }>['charset'];

/** A row of the sample, with the physical line on which it begins, and what a workbook says of its cells. */
export type SampleRow = Pick<SourceRow, 'line' | 'cells' | 'typed'>;

/** The sheets of a sample that is a workbook; undefined for a text. @returns a clause when it cannot be read */
export async function sheetsOf(bytes: Buffer): Promise<string | readonly Sheet[] | undefined> {
  if (!/^(?:PK\x03\x04|\xd0\xcf\x11\xe0)/.test(bytes.toString('latin1', 0, 4))) return undefined;
  // Loaded only for a workbook.
  const { readSheets } = await import('../workbook/workbook-rows.ts');
  return readSheets(bytes);
}

/** What all filled cells of a column of a workbook are. */
export type ColumnType = 'number' | 'date' | 'text';

/** Makes the rows of a sheet equally wide, with sums as Excel shows them. */
export function rowsOfSheet({ rows }: Sheet): { readonly width: number; readonly rows: readonly SampleRow[] } {
  const width = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  const padded = rows.map((row) => {
    const { cells } = withShownSums(row);
    return { ...row, cells: [...cells, ...Array.from({ length: width - cells.length }, () => '')] };
  });
  return { width, rows: padded };
}

/** Returns what the cells of a column are, and whether some are results of formulas. */
export function typeOfColumn(rows: readonly SampleRow[], place: number): { type: ColumnType; hasFormulas: boolean } {
  const types = new Set(rows.map(({ typed }) => typed?.types[place] ?? 'empty'));
  types.delete('empty');
  const [only] = types.size === 1 ? types : [];
  const type = only === 'number' || only === 'date' ? only : 'text';
  return { type, hasFormulas: rows.some(({ typed }) => typed?.formulas.includes(place)) };
}

/** The charsets that a sample may have, the likeliest first; only one when the bytes prove it. */
export function charsetsOf(bytes: Buffer): readonly [Charset, ...Charset[]] {
  const mark = bytes.subarray(0, 3).toString('latin1');
  if (/^\xff\xfe|^\xfe\xff/.test(mark)) return ['utf-16'];
  return isAscii(bytes) || isUtf8(bytes) ? ['utf-8'] : ['windows-1252', 'iso-8859-1'];
}

/** Decodes a sample; a byte order mark is no part of the text. */
export function decodeSample(bytes: Buffer, charset: Charset): string {
  if (charset === 'windows-1252') return readWindows1252(bytes);
  if (charset === 'iso-8859-1') return bytes.toString('latin1');
  const label = charset === 'utf-16' && bytes[0] === 0xfe ? 'utf-16be' : charset === 'utf-16' ? 'utf-16le' : 'utf-8';
  return new TextDecoder(label).decode(bytes);
}

/** The lines of a sample, without their ends and without a last empty one. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r\n|\r|\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Cuts lines into rows. A line that is no row of the separator has no cells. */
export function rowsOf(lines: readonly string[], separator: SeparatorName, joinsLines = false): readonly SampleRow[] {
  const split = cellSplitter({ separator: SEPARATORS[separator], quotes: 'double' });
  const rows: SampleRow[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = at + 1;
    let text = lines[at]!;
    while (joinsLines && endsInQuotes(text) && at + 1 < lines.length) text += ` ${lines[((at += 1))]!}`;
    const cells = split(text);
    rows.push({ line, cells: typeof cells === 'string' ? [] : cells });
  }
  return rows;
}

/** Returns whether a row has no text. */
export function isBlank({ cells }: SampleRow): boolean {
  return cells.every((cell) => cell.trim() === '');
}

/** Returns how many cells have a text. */
export function filledOf({ cells }: SampleRow): number {
  return cells.filter((cell) => cell.trim() !== '').length;
}
