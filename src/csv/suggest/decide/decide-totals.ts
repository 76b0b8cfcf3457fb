import type { ColumnRule, Title } from '../../../../schemas/profiles.ts';
import { groupDigits } from '../../../kernel/counted.ts';
import { formatCents, LARGEST_TOTAL_CENTS } from '../../../kernel/money.ts';
import { directionOf, numberFormOf } from '../../profile/amount-rule.ts';
import { compileNumberForm } from '../../profile/number-form.ts';
import { foldWord } from '../../profile/words-rule.ts';
import type { Table } from './decide-form.ts';
import { sayRows } from './decide-rows.ts';
import type { TotalRow } from '../sample-rows.ts';
import { type Asker, OPEN } from '../question.ts';
import { shownText } from '../shown.ts';
import { titleShown } from '../sources.ts';

/** What is needed of the payments to judge a total row. */
export type Payments = {
  /** Amount of each ordinary row in cents, as the profile will read it. */
  readonly cents: readonly number[];
  /** Indexes of ordinary rows that are payments, and of those with others that are left out by a word. */
  readonly taken: readonly number[];
  /** Column of the amount, or of positive amounts. */
  readonly amount: Title | undefined;
  readonly invoice: Title | undefined;
  readonly form: ColumnRule;
};

type TotalRules = { readonly totals: unknown[]; readonly skip: unknown[] };

/** Decides what becomes of rows that are called totals: the last one is compared, those between are left out. */
export function decideTotals(table: Table, payments: Payments, ask: Asker): TotalRules {
  const all = table.rows.totals;
  const last = all.at(-1);
  if (!last) return { totals: [], skip: [] };
  const isGrand = all.length === 1 || !isLike(last, all.slice(0, -1));
  const between = isGrand ? all.slice(0, -1) : all;
  const skip =
    between.length > 0 ? [decideSubtotals(table, between, payments, ask)].filter((rule) => rule !== 'hold') : [];
  if (!isGrand) return { totals: [], skip };
  const decided = decideTotal(table, last, payments, ask);
  return { totals: decided.total ? [decided.total] : [], skip: [...skip, ...(decided.skip ? [decided.skip] : [])] };
}

/** A last total row that begins like those before it is one of them. */
function isLike(last: TotalRow, others: readonly TotalRow[]): boolean {
  const start = commonStart(others);
  return others.length > 1 && start.length >= SHORTEST_START && last.word.startsWith(start);
}

const SHORTEST_START = 4;

function commonStart(rows: readonly TotalRow[]): string {
  return rows
    .map(({ word }) => word)
    .reduce((start, word) => {
      let end = 0;
      while (end < start.length && start[end] === word[end]) end += 1;
      return start.slice(0, end);
    });
}

/** Total rows that begin alike are told by the beginning, one by its whole cell. */
function conditionOf(rows: readonly TotalRow[], { titles }: Table): object {
  const [{ place, word }] = rows as [TotalRow];
  const isSame = rows.every((other) => foldWord(other.word) === foldWord(word));
  const column = titles[place]!;
  if (isSame && rows.length > 1) return { column, is: word };
  // "Total for BYR01" names what it sums up; the beginning is the same for others.
  const start = rows.length > 1 ? commonStart(rows) : (/^.*?\b(?:for|of|für|pour|de)\s/i.exec(word)?.[0] ?? '');
  return start.trim().length >= SHORTEST_START ? { column, starts: start } : { column, is: word };
}

function decideSubtotals(table: Table, rows: readonly TotalRow[], payments: Payments, ask: Asker): unknown {
  const [{ row, word }] = rows as [TotalRow];
  const sum = rows.reduce((total, one) => total + (figureOf(one, payments, table) ?? 0), 0);
  const answer = ask.choose({
    id: 'subtotals',
    step: 'rows',
    about: 'Rows of subtotals',
    text: `What are rows such as "${shownText(word)}"?`,
    evidence: [`line ${row.line} and others: ${sayRows(rows.length, sum)}`],
    options: [
      { value: 'skip', label: 'subtotals, which are left out' },
      { value: 'hold', label: 'something else: they hold the file' },
    ],
    preselected: 'skip',
  });
  if (answer === undefined) return { name: 'subtotal', when: OPEN };
  if (answer === 'hold') return answer;
  const { invoice } = payments;
  const place = table.titles.findIndex((title) => title === invoice);
  const isEmpty =
    invoice !== undefined && rows.every((one) => one.place !== place && one.row.cells[place]?.trim() === '');
  const when = conditionOf(rows, table);
  return { name: 'subtotal', when: isEmpty ? [when, { column: invoice, empty: true }] : when };
}

type Decided = { readonly total?: unknown; readonly skip?: unknown };

function decideTotal(table: Table, total: TotalRow, payments: Payments, ask: Asker): Decided {
  const found = compareTotal(table, total, payments);
  const answer = ask.choose({
    id: 'total',
    step: 'rows',
    about: 'Total row',
    text: `What is line ${total.row.line}, "${shownText(total.word)}"?`,
    evidence: found.says,
    options: [
      ...(found.amount === undefined && found.rows === undefined
        ? []
        : [
            { value: 'once', label: 'the total row; it must be there in every file, and is compared' },
            { value: 'maybe', label: 'the total row; it is compared, and may be missing' },
          ]),
      { value: 'skip', label: 'a row that is left out' },
    ],
    ...(found.isRight && { preselected: 'once' }),
  });
  const when = conditionOf([total], table);
  if (answer === undefined) return { total: { when, must: OPEN } };
  if (answer === 'skip') return { skip: { name: 'total', when } };
  const { amount, rows, of } = found;
  const { length } = total.row.cells;
  return {
    total: {
      when,
      ...(amount !== undefined && { amount }),
      ...(rows !== undefined && { rows }),
      ...(length !== table.titles.length && { cells: length }),
      of,
      must: answer,
    },
  };
}

type Compared = {
  readonly amount?: Title;
  readonly rows?: Title;
  readonly of: 'taken' | 'all';
  readonly isRight: boolean;
  readonly says: string[];
};

/** Finds what a total row states, and whether it is the sum of the payments or of all rows. */
function compareTotal(table: Table, total: TotalRow, { cents, taken, amount, form }: Payments): Compared {
  const { cells } = total.row;
  const sums = { taken: sumAt(cents, taken), all: sumAt(cents, cents.keys()) };
  const read = readerOf(form);
  const isOfWidth = cells.length === table.titles.length;
  const places = cells.flatMap((cell, place) => (place !== total.place && cell.trim() !== '' ? [place] : []));
  const own = table.titles.findIndex((title) => title === amount);
  const figures = places.map((place) => ({ place, cents: read(cells[place]!.trim()) }));
  const wanted = isOfWidth ? figures.filter(({ place }) => place === own) : figures;
  const exact = wanted.find((one) => one.cents === sums.taken) ?? wanted.find((one) => one.cents === sums.all);
  const stated = exact ?? wanted.find((one) => one.cents !== undefined);
  const counts = { taken: taken.length, all: cents.length };
  const of = stated?.cents !== sums.taken && stated?.cents === sums.all ? 'all' : 'taken';
  const counted = places.find((place) => place !== stated?.place && Number(cells[place]) === counts[of]);
  const title = stated && table.titles[stated.place];
  return {
    ...(title !== undefined && { amount: title }),
    ...(counted !== undefined && { rows: table.titles[counted]! }),
    of,
    isRight: exact !== undefined,
    says: [
      stated?.cents === undefined
        ? 'it states no amount that can be read'
        : `${titleShown(title!)}: it says ${said(stated.cents)}; the payments add up to ${said(sums.taken)}, all rows to ${said(sums.all)}`,
    ],
  };
}

function said(cents: number): string {
  return groupDigits(formatCents(cents));
}

function sumAt(cents: readonly number[], indexes: Iterable<number>): number {
  let sum = 0;
  for (const index of indexes) sum += cents[index]!;
  return sum;
}

function readerOf(form: ColumnRule): (cell: string) => number | undefined {
  const read = compileNumberForm(numberFormOf(form), { largestCents: LARGEST_TOTAL_CENTS });
  return (cell) => {
    const cents = read(cell);
    return typeof cents === 'number' ? cents * directionOf(form) : undefined;
  };
}

function figureOf({ row }: TotalRow, { amount, form }: Payments, { titles }: Table): number | undefined {
  const place = titles.findIndex((title) => title === amount);
  return readerOf(form)(row.cells[place]?.trim() ?? '');
}
