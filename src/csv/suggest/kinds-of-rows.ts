import { foldWord } from '../profile/words-rule.ts';
import { filledOf, isBlank, type SampleRow } from './sample-rows.ts';

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
  /^(?:grand |sub-?\s?|net )?totale?s?\b|^sum(?:me|s)?\b|^gesamt|^zwischensumme|^endsumme|^sous-total|^somme\b|^suma\b|^importe total|^montant total|^count\b|^anzahl\b|^report total/;

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
