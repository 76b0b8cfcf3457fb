import { isAscii, isUtf8 } from 'node:buffer';
import { type Profile, SEPARATORS, type SeparatorName } from '../../../schemas/profiles.ts';
import { readWindows1252 } from '../../rows/windows-1252.ts';
import { tellKind } from '../read/open-plain-text.ts';
import type { SourceRow } from '../profile/read/text-rows.ts';
import { withShownSums } from '../profile/read/typed-cells.ts';
import type { Sheet } from '../workbook/workbook-rows.ts';
import { cellSplitter, endsInQuotes } from '../profile/read/split-dialect.ts';
import { foldWord } from '../profile/words-rule.ts';

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

/** Says what a file is that is no workbook and no text of payments. */
export function refuseBytes(bytes: Buffer): string | undefined {
  const kind = tellKind(bytes);
  if (kind !== undefined) return `it is ${kind}; export it as text (CSV) in UTF-8`;
  return /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\0\s]*$/.test(bytes.toString('latin1', 0, 4096)) && bytes.length <= 4096
    ? 'it is empty'
    : undefined;
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

/** A row of totals, with the cell that says so. */
export type TotalRow = {
  readonly row: SampleRow;
  /** Index of the cell that calls it a total. */
  readonly place: number;
  readonly word: string;
};

/** The rows below the titles. Each stands in one list. */
export type RowKinds = {
  /** As wide as the titles, and not called a total. */
  readonly ordinary: readonly SampleRow[];
  readonly totals: readonly TotalRow[];
  /** Lines with one filled cell behind the last ordinary row. */
  readonly tail: readonly SampleRow[];
  /** Of another width, so that no profile reads them. */
  readonly odd: readonly SampleRow[];
};

/** Beginnings of cells that call a row a total, in small letters. */
const TOTAL_WORD =
  /^(?:grand |sub-?\s?|net )?totale?s?\b|^sum(?:me|s)?\b|^gesamt|^zwischensumme|^endsumme|^sous-total|^somme\b|^suma\b|^importe total|^montant total|^count\b|^anzahl\b|^report total|^\*+$/;

/** Record kinds of trailers in files without titles. */
const TRAILER_WORD = /^(?:t|tr|trl|trailer|eof|9)$/;

/**
 * Sorts the rows below the titles by their look alone.
 * @param isUntitled whether a short last row may be a trailer
 */
export function kindsOfRows(rows: readonly SampleRow[], width: number, isUntitled: boolean): RowKinds {
  const filled = rows.filter((row) => !isBlank(row));
  const usual = median(filled.filter(({ cells }) => cells.length === width).map(filledOf));
  const ordinary: SampleRow[] = [];
  const totals: TotalRow[] = [];
  const others: SampleRow[] = [];
  for (const row of filled) {
    const total = totalOf(row, { width, usual, isUntitled });
    if (total) totals.push(total);
    else if (row.cells.length === width) ordinary.push(row);
    else others.push(row);
  }
  const last = ordinary.at(-1);
  const isTail = (row: SampleRow) => filledOf(row) === 1 && (last === undefined || row.line > last.line);
  const tailOfWidth = totals.length > 0 ? trailing(ordinary, totals.at(-1)!) : [];
  return {
    ordinary: ordinary.filter((row) => !tailOfWidth.includes(row)),
    totals,
    tail: [...tailOfWidth, ...others.filter(isTail)].toSorted((a, b) => a.line - b.line),
    odd: others.filter((row) => !isTail(row)),
  };
}

/** Rows of the full width with one filled cell, behind the last total row. */
function trailing(ordinary: readonly SampleRow[], { row }: TotalRow): SampleRow[] {
  return ordinary.filter((one) => one.line > row.line && filledOf(one) === 1);
}

type Look = { readonly width: number; readonly usual: number; readonly isUntitled: boolean };

function totalOf(row: SampleRow, { width, usual, isUntitled }: Look): TotalRow | undefined {
  const filled = filledOf(row);
  // A payment has an invoice, a payer and more; a total row has a word and some figures.
  if (filled < 2 || filled * 2 > Math.max(usual, 4)) return undefined;
  const words = isUntitled && row.cells.length < width ? [TOTAL_WORD, TRAILER_WORD] : [TOTAL_WORD];
  const place = row.cells.findIndex((cell) => words.some((word) => word.test(foldWord(cell))));
  return place < 0 ? undefined : { row, place, word: row.cells[place]!.trim() };
}

function median(counts: readonly number[]): number {
  return counts.toSorted((a, b) => a - b)[Math.floor(counts.length / 2)] ?? 0;
}
