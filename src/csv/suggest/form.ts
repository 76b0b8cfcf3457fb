import { SEPARATORS, type SeparatorName } from '../../../schemas/profiles.ts';
import { columnsOfTitle } from '../check/column-titles.ts';
import { filledOf, isBlank, rowsOf, type SampleRow } from './sample-rows.ts';

/** A separator that was tried: how many lines have the commonest number of cells. */
export type Trial = {
  readonly separator: SeparatorName;
  readonly width: number;
  readonly lines: number;
  /** Index of the first of them. */
  readonly first: number;
  /** Share of them among the lines from the first to the last of them. */
  readonly share: number;
};

/** Fewer cells are no payment. */
export const FEWEST_CELLS = 3;
const SURE_SHARE = 0.95;

export type Tried = { readonly trials: readonly Trial[]; readonly isSure: boolean };

/** Tries all separators. The best comes first; `isSure` when nothing else comes near. */
export function trySeparators(lines: readonly string[]): Tried {
  const names = Object.keys(SEPARATORS) as SeparatorName[];
  const trials = names
    .map((separator) => trial(separator, rowsOf(lines, separator)))
    .filter(({ width }) => width >= FEWEST_CELLS)
    .toSorted((a, b) => b.lines * b.share - a.lines * a.share);
  const [best, ...others] = trials;
  if (!best || best.share < SURE_SHARE) return { trials, isSure: false };
  // Decimal commas come in each row, but not in the titles.
  const isSure = others.every(
    ({ separator, lines: count }) =>
      count * 2 <= best.lines || rowsOf([lines[best.first]!], separator)[0]!.cells.length === 1,
  );
  return { trials, isSure };
}

function trial(separator: SeparatorName, all: readonly SampleRow[]): Trial {
  const rows = all.filter((row) => !isBlank(row));
  const width = commonest(rows.map(({ cells }) => cells.length).filter((count) => count >= FEWEST_CELLS));
  const isOfWidth = ({ cells }: SampleRow) => cells.length === width;
  const lines = rows.filter(isOfWidth).length;
  const between = rows.findLastIndex(isOfWidth) - rows.findIndex(isOfWidth) + 1;
  return { separator, width, lines, first: all.findIndex(isOfWidth), share: lines / between };
}

function commonest(counts: readonly number[]): number {
  const seen = new Map<number, number>();
  for (const count of counts) seen.set(count, (seen.get(count) ?? 0) + 1);
  return [...seen].toSorted(([a, often], [b, oftener]) => oftener - often || b - a)[0]?.[0] ?? 0;
}

/** Index of the row that may be the titles, or -1 for none, and whether nothing else can be meant. */
export type FoundTitles = { readonly place: number; readonly isSure: boolean };

/** The titles stand among so many first rows. */
const MOST_ABOVE = 40;

/**
 * Looks for the titles: the first row as wide as the data and filled, if it has texts where the rows below have numbers.
 * @param rows without blank ones
 */
export function findTitles(rows: readonly SampleRow[], width: number): FoundTitles {
  const used = columnsUsed(rows, width);
  const place = rows.slice(0, MOST_ABOVE).findIndex((row) => row.cells.length === width && filledOf(row) * 2 > used);
  const row = rows[place];
  if (!row) return { place: -1, isSure: false };
  const known = row.cells.filter((cell) => columnsOfTitle(cell).length > 0).length;
  if (row.cells.some(isValue) && known * 2 < width) return { place: -1, isSure: row.cells.some(isCertainValue) };
  const below = rows.slice(place + 1).filter(({ cells }) => cells.length === width);
  const contrasts = row.cells.filter((_, at) => below.some(({ cells }) => isValue(cells[at]!))).length;
  return { place, isSure: !row.cells.some(isValue) && (known * 2 >= width || contrasts >= 3) };
}

/** Counts the columns that are not empty in every row. */
function columnsUsed(rows: readonly SampleRow[], width: number): number {
  const full = rows.filter(({ cells }) => cells.length === width);
  return Array.from({ length: width }, (_, place) => place).filter((place) =>
    full.some(({ cells }) => cells[place]!.trim() !== ''),
  ).length;
}

/** A cell that no title is: a number, a date, an account. */
function isValue(cell: string): boolean {
  return /\d/.test(cell) && !/\p{L}{2}/u.test(cell);
}

function isCertainValue(cell: string): boolean {
  return /\d[.,/-]\d\d(?:\D|$)|\d{6}/.test(cell);
}
