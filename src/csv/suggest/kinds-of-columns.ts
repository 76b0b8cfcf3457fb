import { LARGEST_TOTAL_CENTS } from '../../kernel/money.ts';
import { passesLuhn } from '../../kernel/luhn.ts';
import { isPlainState } from '../rules/us-address.ts';
import { startsWithRoutingNumber } from '../rules/rule-of-column.ts';
import { type DateForm, namesMonth } from '../profile/date-form.ts';
import { fittingDateForms, fittingExpiryForms, fittingNumberForms } from '../profile/fitting-forms.ts';
import type { ColumnType } from './sample-rows.ts';
import { holdsNumber } from './shown.ts';
import { compileNumberForm, type NumberForm } from '../profile/number-form.ts';
import { foldWord } from '../profile/words-rule.ts';
import { accountTypeOf, mopOf } from './known-words.ts';

/** What the cells of a column are, judged by all rows. Shares are of the filled cells. */
export type ColumnEvidence = {
  readonly place: number;
  readonly filled: readonly string[];
  /** How many rows have nothing here. */
  readonly empty: number;
  /** The different words, the most frequent first; empty when there are more than twelve, or long numbers. */
  readonly words: ReadonlyMap<string, number>;
  readonly isUnique: boolean;
  /** Digits alone once blanks and dashes are out, and how many. */
  readonly digits: { readonly least: number; readonly most: number } | undefined;
  /** All pass the check digit of cards. */
  readonly isCard: boolean;
  /** All are routing numbers of US banks. */
  readonly isRouting: boolean;
  readonly dateForms: readonly DateForm[];
  readonly expiryForms: readonly DateForm[];
  readonly numberForms: readonly NumberForm[];
  /** They have decimals or a sign of currency, so they are hardly anything but amounts. */
  readonly isMoney: boolean;
  /** In cents by the first form that fits; undefined for no amount. */
  readonly cents: readonly (number | undefined)[];
  readonly isMop: boolean;
  readonly isAccountType: boolean;
  readonly isState: boolean;
  readonly isZip: boolean;
  /** Share with letters. */
  readonly letters: number;
};

const MOST_WORDS = 12;

/**
 * Looks at a column.
 * @param cells those of all ordinary rows
 * @param type of the cells of a workbook, where the first day of a month may be an expiry
 * @param totals those of the total rows, whose amounts are written like the others
 */
export function evidenceOf(
  cells: readonly string[],
  place: number,
  totals: readonly string[] = [],
  type: ColumnType = 'text',
): ColumnEvidence {
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  const numbers = filled.map((cell) => cell.replace(/^="(.*)"$/, '$1').replace(/[\s-]/g, ''));
  const months = type === 'date' ? filled.map((cell) => cell.replace(/-01$/, '')) : filled;
  const isDigits = filled.length > 0 && numbers.every((number) => /^\d+$/.test(number));
  const lengths = isDigits ? numbers.map(({ length }) => length) : [];
  const dateForms = filled.every(looksLikeDate) ? fittingDateForms(filled) : [];
  const isNumeric = filled.length > 0 && filled.every((cell) => /\d/.test(cell) && cell.length <= LONGEST_FORM);
  const hasLong = lengths.some((length) => length > LONGEST_AMOUNT);
  const numberForms = isNumeric && !hasLong && filled.every(looksLikeNumber) ? numberFormsOf(filled, totals) : [];
  const words = wordsOf(filled);
  const all = (test: (cell: string) => boolean) => filled.length > 0 && filled.every(test);
  return {
    place,
    filled,
    empty: cells.length - filled.length,
    words,
    isUnique: new Set(filled).size >= filled.length * 0.98,
    digits:
      isDigits && (dateForms.length === 0 || filled.every(isPlainNumber))
        ? { least: Math.min(...lengths), most: Math.max(...lengths) }
        : undefined,
    isCard: isDigits && numbers.every((number) => /^\d{12,19}$/.test(number) && passesLuhn(number)),
    isRouting: isDigits && numbers.every((number) => number.length === 9 && startsWithRoutingNumber(number)),
    dateForms,
    expiryForms: isNumeric && months.every(looksLikeExpiry) ? fittingExpiryForms(months) : [],
    numberForms,
    isMoney: numberForms.length > 0 && filled.some((cell) => /[.,]\d{1,2}\D*$|\p{Sc}/u.test(cell)),
    cents: centsOf(cells, numberForms),
    isMop: words.size > 0 && [...words.keys()].every((word) => mopOf(word) !== undefined),
    isAccountType: words.size > 0 && [...words.keys()].every((word) => accountTypeOf(word) !== undefined),
    isState: all(isPlainState),
    isZip: all((cell) => ZIP.test(cell)),
    letters: filled.filter((cell) => /\p{L}{2}/u.test(cell)).length / Math.max(filled.length, 1),
  };
}

/** Returns the forms that fit all amounts, also those of total rows if any form does. */
export function numberFormsOf(filled: readonly string[], totals: readonly string[]): readonly NumberForm[] {
  const figures = totals.filter((cell) => /\d/.test(cell) && looksLikeNumber(cell));
  const forms = figures.length > 0 ? fittingNumberForms([...filled, ...figures]) : [];
  return forms.length > 0 ? forms : fittingNumberForms(filled);
}

const LONGEST_FORM = 40;

/** Digits of an amount without marks. */
const LONGEST_AMOUNT = 11;

function looksLikeNumber(cell: string): boolean {
  return /^[^\d]{0,7}\d[\d.,'\u2019\s]*[^\d]{0,7}$/.test(cell);
}

function isPlainNumber(cell: string): boolean {
  return /^\d+$/.test(cell);
}

function looksLikeDate(cell: string): boolean {
  return hasMonths(cell) && /^\d{1,4}[/. -]{1,2}(?:\d|\p{L})|^\d{6}$|^\d{8}$|^\p{L}|^\d\d\p{L}/u.test(cell);
}

function looksLikeExpiry(cell: string): boolean {
  return (
    cell.length <= 10 &&
    hasMonths(cell) &&
    /^\d{1,4}[/. -](?:\d|\p{L})|^\d{4}$|^\d{6}$|\p{L}{3,}\.?[/. -]?\d/u.test(cell)
  );
}

/** Returns whether the first word, if any, is a month. */
function hasMonths(cell: string): boolean {
  const [word] = /\p{L}+/u.exec(cell) ?? [];
  return word === undefined || namesMonth(word);
}

const ZIP = /^(?:\d{5}(?:-\d{4})?|[A-Z]\d[A-Z] ?\d[A-Z]\d|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2})$/;

function wordsOf(filled: readonly string[]): ReadonlyMap<string, number> {
  const words = new Map<string, number>();
  const written = new Map<string, string>();
  for (const cell of filled) {
    const word = written.get(foldWord(cell)) ?? cell;
    written.set(foldWord(cell), word);
    words.set(word, (words.get(word) ?? 0) + 1);
    // Words are shown whole and stand in the profile, so a number is none.
    if (words.size > MOST_WORDS || holdsNumber(cell)) return new Map();
  }
  return new Map([...words].toSorted(([, a], [, b]) => b - a));
}

function centsOf(cells: readonly string[], [form]: readonly NumberForm[]): readonly (number | undefined)[] {
  if (!form) return cells.map(() => undefined);
  const read = compileNumberForm(form, { largestCents: LARGEST_TOTAL_CENTS });
  return cells.map((cell) => {
    const cents = cell.trim() === '' ? undefined : read(cell.trim());
    return typeof cents === 'number' ? cents : undefined;
  });
}

/** Returns the sum of a column in cents. */
export function sumOf({ cents }: Pick<ColumnEvidence, 'cents'>): number {
  return cents.reduce<number>((sum, one) => sum + (one ?? 0), 0);
}

/** Returns whether a column is the running balance of another: each cell is the one before plus or minus the other. */
export function isBalanceOf(balance: ColumnEvidence, amount: ColumnEvidence): boolean {
  const rows = balance.cents.length - 1;
  if (rows < 2 || balance.place === amount.place) return false;
  const follow = [1, -1].map(
    (sign) =>
      balance.cents
        .slice(1)
        .filter((cents, at) => cents === (balance.cents[at] ?? NaN) + sign * (amount.cents[at + 1] ?? NaN)).length,
  );
  return Math.max(...follow) >= rows * 0.9;
}

/** A column that is the sum of two others in every row, in cents. */
export type FoundSum = { readonly add: readonly [number, number]; readonly equals: number };

/** Fewer rows add up by chance. */
const FEWEST_ROWS = 4;

/** Finds columns that add up in all rows. */
export function sumsIn(columns: readonly ColumnEvidence[]): readonly FoundSum[] {
  const amounts = columns.filter(
    ({ isMoney, empty, cents }) => isMoney && empty === 0 && cents.some((one) => one !== 0),
  );
  return amounts.flatMap((a, index) =>
    amounts
      .slice(index + 1)
      .flatMap((b) =>
        amounts
          .filter((total) => total !== a && total !== b && addsUp(a, b, total))
          .map((total) => ({ add: [a.place, b.place] as const, equals: total.place })),
      ),
  );
}

function addsUp(a: ColumnEvidence, b: ColumnEvidence, total: ColumnEvidence): boolean {
  return (
    total.cents.length >= FEWEST_ROWS &&
    total.cents.every((cents, at) => cents === (a.cents[at] ?? NaN) + (b.cents[at] ?? NaN))
  );
}
