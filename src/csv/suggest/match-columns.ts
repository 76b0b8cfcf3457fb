import { type ColumnName, COLUMNS } from '../../../schemas/layouts.ts';
import type { Title } from '../../../schemas/profiles.ts';
import { columnsNearTitle, columnsOfTitle } from '../check/column-titles.ts';
import { type ColumnEvidence, isBalanceOf } from './kinds-of-columns.ts';

export type Confidence = 'sure' | 'likely' | 'open';

/** What fits a column of the layout best. Places are indexes of columns of the sample. */
export type Match = {
  readonly column: ColumnName;
  readonly place?: number;
  readonly confidence: Confidence;
  /** The title is one of the known titles of the column. */
  readonly isTitled: boolean;
  readonly content: number;
  /** The next best. */
  readonly next?: number;
  /** The score of each column of the sample. */
  readonly scores: readonly number[];
};

const TITLE = { exact: 1, near: 0.6, none: 0.2 } as const;

/** Leaving a column without a source is better than a source that scores less. */
const WITHOUT = { optional: 0.09, required: 0.01 } as const;

const LIKELY_GAP = 0.3;

/**
 * Finds the columns of the sample that feed those of the layout, all at once, so that their scores are the greatest.
 * How sure that is depends on what else would fit, not on the score.
 */
export function matchColumns(
  layout: readonly ColumnName[],
  titles: readonly Title[],
  columns: readonly ColumnEvidence[],
  today: string,
): readonly Match[] {
  const contents = layout.map((column) => columns.map((cells) => contentScore(column, cells, columns, today)));
  const scores = layout.map((column, row) =>
    columns.map((_, place) => titleScore(column, titles[place]!) * contents[row]![place]!),
  );
  const best = withoutSome(layout, scores);
  const places = assign(best);
  const total = sumOfPairs(best, places);
  return layout.map((column, row): Match => {
    const own = scores[row]!;
    const place = places[row]!;
    const found = { column, scores: own, ...bestPlace(own, place) };
    if (place >= columns.length) return { ...found, confidence: 'open', isTitled: false, content: 0 };
    const content = contents[row]![place]!;
    const isTitled = columnsOfTitle(String(titles[place])).includes(column);
    const isSure = isTitled && content >= CONTENT.strong && isAlone({ row, place, scores, contents });
    const gap = total - sumOfPairs(...forbidden(best, row, place));
    return { ...found, place, confidence: isSure ? 'sure' : gap > LIKELY_GAP ? 'likely' : 'open', isTitled, content };
  });
}

type Pair = {
  readonly row: number;
  readonly place: number;
  readonly scores: readonly (readonly number[])[];
  readonly contents: readonly (readonly number[])[];
};

/** Returns whether nothing else comes near a pair: no other column fits as well, and no other column wants this one. */
function isAlone({ row, place, scores, contents }: Pair): boolean {
  const own = scores[row]![place]!;
  const isFar = scores[row]!.every((score, at) => at === place || score * 2 < own);
  const isUnwanted = scores.every((others, at) => at === row || others[place]! * 2 < own);
  return isFar && isUnwanted && contents[row]!.every((content, at) => at === place || content < CONTENT.strong);
}

function titleScore(column: ColumnName, title: Title): number {
  if (columnsOfTitle(String(title)).includes(column)) return TITLE.exact;
  return columnsNearTitle(String(title)).includes(column) ? TITLE.near : TITLE.none;
}

/** Adds for each column of the layout the choice to leave it without a source. */
function withoutSome(layout: readonly ColumnName[], scores: readonly (readonly number[])[]): number[][] {
  return scores.map((row, index) => [
    ...row,
    ...layout.map((column, at) => (at === index ? WITHOUT[COLUMNS[column].required ? 'required' : 'optional'] : -1)),
  ]);
}

function sumOfPairs(scores: readonly (readonly number[])[], places: readonly number[]): number {
  return places.reduce((sum, place, row) => sum + scores[row]![place]!, 0);
}

function forbidden(scores: readonly (readonly number[])[], row: number, place: number): [number[][], number[]] {
  const others = scores.map((line, at) => line.map((score, column) => (at === row && column === place ? -1 : score)));
  return [others, assign(others)];
}

function bestPlace(scores: readonly number[], except: number): { next?: number } {
  let next = -1;
  scores.forEach((score, place) => {
    if (place !== except && score > (scores[next] ?? 0.05)) next = place;
  });
  return next < 0 ? {} : { next };
}

/**
 * Assigns each row of a table of scores its own column, so that the sum of the scores is the greatest (the Hungarian
 * method). There are at least as many columns as rows.
 * @returns the column of each row
 */
export function assign(scores: readonly (readonly number[])[]): number[] {
  const width = scores[0]?.length ?? 0;
  const rowOf = Array<number>(width + 1).fill(-1);
  const rowPrice = Array<number>(scores.length).fill(0);
  const columnPrice = Array<number>(width + 1).fill(0);
  for (let row = 0; row < scores.length; row += 1) extendMatching(row, { scores, rowOf, rowPrice, columnPrice });
  const assigned = Array<number>(scores.length).fill(-1);
  rowOf.slice(0, width).forEach((row, column) => {
    if (row >= 0) assigned[row] = column;
  });
  return assigned;
}

/** Prices under which no pair costs less than nothing; the pairs that cost nothing may be matched. */
type Matching = {
  readonly scores: readonly (readonly number[])[];
  /** Row of each column; the last column stands for the row that is being added. */
  readonly rowOf: number[];
  readonly rowPrice: number[];
  readonly columnPrice: number[];
};

/** Adds a row by the cheapest chain of exchanges that ends at a free column. */
function extendMatching(added: number, { scores, rowOf, rowPrice, columnPrice }: Matching): void {
  const start = rowOf.length - 1;
  const least = Array<number>(start).fill(Infinity);
  const before = Array<number>(start).fill(start);
  const seen = new Set<number>();
  rowOf[start] = added;
  let column = start;
  while (rowOf[column]! >= 0) {
    seen.add(column);
    const row = rowOf[column]!;
    let next = -1;
    for (let other = 0; other < start; other += 1) {
      if (seen.has(other)) continue;
      const cost = -scores[row]![other]! - rowPrice[row]! - columnPrice[other]!;
      if (cost < least[other]!) [least[other], before[other]] = [cost, column];
      if (next < 0 || least[other]! < least[next]!) next = other;
    }
    const step = least[next]!;
    for (const used of seen) {
      rowPrice[rowOf[used]!]! += step;
      columnPrice[used]! -= step;
    }
    for (let other = 0; other < start; other += 1) if (!seen.has(other)) least[other]! -= step;
    column = next;
  }
  while (column !== start) {
    rowOf[column] = rowOf[before[column]!]!;
    column = before[column]!;
  }
  rowOf[start] = -1;
}

/** How well cells fit a column of the layout. */
const CONTENT = { proof: 1, strong: 0.9, medium: 0.6, weak: 0.4, poor: 0.1, contradicts: 0 } as const;

/** So many cells with a right check digit are no chance. */
const FEWEST_PROVEN = 5;

/** Says how well the cells of a column fit, by all rows. `others` are all columns of the sample. */
function contentScore(
  column: ColumnName,
  cells: ColumnEvidence,
  others: readonly ColumnEvidence[],
  today: string,
): number {
  if (cells.filled.length === 0) return COLUMNS[column].required ? CONTENT.contradicts : CONTENT.poor;
  switch (COLUMNS[column].kind) {
    case 'date':
      return cells.dateForms.length === 0 ? CONTENT.contradicts : isPlainDigits(cells) ? CONTENT.weak : CONTENT.strong;
    case 'expiry':
      return isExpiry(cells, today) ? CONTENT.strong : CONTENT.contradicts;
    case 'amount':
      return amountScore(cells, others);
    case 'cardNumber':
      if (!cells.isCard) return CONTENT.contradicts;
      return cells.filled.length >= FEWEST_PROVEN ? CONTENT.proof : CONTENT.medium;
    case 'accountNumber':
      return accountScore(cells);
    case 'mop':
      return cells.isMop ? CONTENT.strong : wordScore(cells);
    case 'accountType':
      return cells.isAccountType ? CONTENT.strong : wordScore(cells);
    case 'invoice':
      return codeScore(cells) * (cells.isUnique && cells.empty === 0 ? 1 : 0.5);
    case 'customerCode':
      return Math.min(CONTENT.weak, codeScore(cells));
    case 'text':
      return textScore(column, cells);
  }
}

function isPlainDigits({ digits }: ColumnEvidence): boolean {
  return digits !== undefined;
}

function wordScore({ words }: ColumnEvidence): number {
  return words.size > 0 ? CONTENT.poor : CONTENT.contradicts;
}

function amountScore(cells: ColumnEvidence, others: readonly ColumnEvidence[]): number {
  if (cells.numberForms.length === 0 || cells.isCard || cells.isRouting || isOnlyDate(cells))
    return CONTENT.contradicts;
  if (!cells.isMoney) return cells.isUnique ? CONTENT.poor : CONTENT.weak;
  return others.some((other) => other.isMoney && isBalanceOf(cells, other)) ? CONTENT.poor : CONTENT.strong;
}

/** `06.15` may be an amount; `06/15/2026` is none, and digits alone may be either. */
function isOnlyDate({ dateForms, digits }: ColumnEvidence): boolean {
  return dateForms.length > 0 && digits === undefined;
}

/** Cards expire within ten years; a few have expired. */
function isExpiry({ expiryForms, filled }: ColumnEvidence, today: string): boolean {
  const [years, year] = [
    filled.map((cell) => /(?:20)?\d\d$|^20\d\d/.exec(cell)?.[0]?.slice(-2)),
    Number(today.slice(2, 4)),
  ];
  if (expiryForms.length === 0) return false;
  const isNear = (text: string | undefined) =>
    text !== undefined && Number(text) >= year - 2 && Number(text) <= year + 20;
  const isDigits = filled.every((cell) => /^\d+$/.test(cell));
  return isDigits || years.filter(isNear).length * 2 >= filled.length;
}

function accountScore({ digits, isRouting, isCard, filled, dateForms, isUnique }: ColumnEvidence): number {
  if (!digits || digits.least < 4 || isRouting || digits.most > 30) return CONTENT.contradicts;
  if (isCard && filled.length >= FEWEST_PROVEN) return CONTENT.poor;
  if (dateForms.length > 0 || digits.most < 5) return CONTENT.poor;
  return isUnique ? CONTENT.medium : CONTENT.weak;
}

/** Numbers and codes that name an invoice or a customer. */
function codeScore(cells: ColumnEvidence): number {
  const { isCard, filled, isMoney } = cells;
  if ((isCard && filled.length >= FEWEST_PROVEN) || isMoney || isOnlyDate(cells)) return CONTENT.contradicts;
  return filled.some((cell) => cell.length > LONGEST_CODE) ? CONTENT.poor : CONTENT.medium;
}

const LONGEST_CODE = 25;

function textScore(column: ColumnName, cells: ColumnEvidence): number {
  if (cells.isCard || cells.isMoney || isOnlyDate(cells)) return CONTENT.contradicts;
  if (column === 'state' && cells.isState) return CONTENT.strong;
  if (column === 'zipCode') return cells.isZip ? CONTENT.medium : CONTENT.poor;
  if (column === 'street') return cells.letters > 0.5 ? CONTENT.weak : CONTENT.poor;
  return cells.letters > 0.5 || column === 'comment' ? CONTENT.weak : CONTENT.poor;
}
