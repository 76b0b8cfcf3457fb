import type { ColumnRule } from '../../../../schemas/profiles.ts';
import { counted, groupDigits, groupedCount } from '../../../kernel/counted.ts';
import { formatCents } from '../../../kernel/money.ts';
import { foldWord } from '../../profile/words-rule.ts';
import type { Table } from './decide-form.ts';
import type { ColumnEvidence } from '../kinds-of-columns.ts';
import { areCurrencies, isNotPayable } from '../known-words.ts';
import type { Asker, Option } from '../question.ts';
import type { SampleRow } from '../sample-rows.ts';
import { shownText } from '../shown.ts';
import { titleShown } from '../sources.ts';

/** Which ordinary rows are payments, and what tells that. */
export type RowRules = {
  readonly only: readonly { readonly column: string | number; readonly take: unknown; readonly skip: unknown }[];
  readonly cells: readonly { readonly column: string | number; readonly is: readonly string[] }[];
  /** Columns that these read. */
  readonly places: ReadonlySet<number>;
  /** Indexes of ordinary rows that are payments, as far as that is decided. */
  readonly taken: readonly number[];
  /** It is known of each column whether it tells something. */
  readonly isDecided: boolean;
};

/**
 * Decides which columns tell payments from other rows or a wrong export, and by which words.
 * @param used columns of the sample that are sent
 * @param cents amount of each ordinary row, as far as it can be read
 */
export function decideRows(table: Table, used: ReadonlySet<number>, cents: readonly number[], ask: Asker): RowRules {
  const tellers = table.columns
    .filter((cells) => !used.has(cells.place) && isWordColumn(cells, table.rows.ordinary.length))
    .map((cells) => ({ cells, tells: askTells(cells, table, ask) }));
  let taken = table.rows.ordinary.map((_, index) => index);
  const only = tellers
    .filter(({ tells }) => tells === 'payments')
    .map(({ cells }) => {
      const column = table.titles[cells.place]!;
      const words = wordsIn(table, cells.place, taken);
      const answer = askWords(String(column), words, { table, place: cells.place, taken, cents }, ask);
      if (!answer) return { column, take: undefined, skip: undefined };
      const skipped = new Set(words.filter((word) => answer[word] === 'skip').map(foldWord));
      taken = taken.filter((index) => !skipped.has(foldWord(cellAt(table, index, cells.place))));
      return {
        column,
        take: words.filter((word) => answer[word] === 'take'),
        skip: words.filter((word) => answer[word] === 'skip'),
      };
    });
  const cells = tellers
    .filter(({ tells }) => tells === 'guard')
    .map(({ cells: { place } }) => ({ column: table.titles[place]!, is: wordsIn(table, place, taken) }));
  const read = tellers.filter(({ tells }) => tells !== 'nothing').map(({ cells: { place } }) => place);
  const isDecided = tellers.every(({ tells }) => tells !== undefined);
  return { only, cells, places: new Set(read), taken, isDecided };
}

/** Columns of few words, which may tell something about the row. */
function isWordColumn({ words, digits, isMoney, dateForms, filled }: ColumnEvidence, rows: number): boolean {
  if (words.size === 0 || isMoney || dateForms.length > 0 || (digits && digits.most > 4)) return false;
  if (words.size === 1) return filled.length >= Math.min(3, rows);
  return words.size * 2 <= rows || (words.size < rows && [...words.keys()].some(isNotPayable));
}

function askTells({ place, words }: ColumnEvidence, { titles }: Table, ask: Asker): string | undefined {
  const title = titles[place]!;
  const list = [...words];
  const hasOthers = list.some(([word]) => isNotPayable(word)) || (areCurrencies(words.keys()) && words.size > 1);
  const suggested = hasOthers ? 'payments' : areCurrencies(words.keys()) ? 'guard' : 'nothing';
  return ask.choose({
    id: `tells:${title}`,
    step: 'rows',
    about: titleShown(title),
    text: `What does ${titleShown(title)} tell?`,
    evidence: [list.map(([word, count]) => `${shownText(word)} (${count})`).join(', ')],
    options: [
      { value: 'nothing', label: 'nothing that matters; it is not sent' },
      { value: 'payments', label: 'which rows are payments, and which are left out' },
      { value: 'guard', label: 'that the export is the right one: each payment has such a word' },
    ],
    preselected: suggested,
  });
}

type Context = {
  readonly table: Table;
  readonly place: number;
  readonly taken: readonly number[];
  readonly cents: readonly number[];
};

const TAKE_OR_SKIP: readonly Option[] = [
  { value: 'take', label: 'a payment' },
  { value: 'skip', label: 'left out' },
];

function askWords(title: string, words: readonly string[], { table, place, taken, cents }: Context, ask: Asker) {
  return ask.sort({
    id: `only:${title}`,
    step: 'rows',
    about: shownText(title),
    text: `Which rows are payments, by ${shownText(title)}? Any other word will hold the file.`,
    evidence: [],
    options: TAKE_OR_SKIP,
    words: words.map((value) => {
      const own = taken.filter((index) => foldWord(cellAt(table, index, place)) === foldWord(value));
      const sum = own.reduce((total, index) => total + (cents[index] ?? 0), 0);
      return { value, label: `${shownText(value) || 'empty'}: ${sayRows(own.length, sum)}` };
    }),
    preselected: Object.fromEntries(words.map((word) => [word, isNotPayable(word) ? 'skip' : 'take'])),
  });
}

/** Formats as `2 rows, sum -60.00`. */
export function sayRows(rows: number, cents: number): string {
  return `${groupedCount(rows, 'row')}, sum ${groupDigits(formatCents(cents))}`;
}

export function cellAt({ rows }: Table, index: number, place: number): string {
  return rows.ordinary[index]!.cells[place]!.trim();
}

/** Returns the different words of a column in some rows, as they are first written. */
export function wordsIn(table: Table, place: number, taken: readonly number[]): string[] {
  const words = new Map<string, string>();
  for (const index of taken) {
    const word = cellAt(table, index, place);
    if (!words.has(foldWord(word))) words.set(foldWord(word), word);
  }
  return [...words.values()];
}

/** Asks whether there is really nothing that proves the right export. A person who knows something changes answers. */
export function decideGuard(ask: Asker): boolean {
  const answer = ask.choose({
    id: 'guard',
    step: 'rows',
    about: 'Guard against a wrong export',
    text: 'Nothing tells the export of another company or report apart: no text above the titles, and no column.',
    evidence: [],
    options: [{ value: 'none', label: 'there is none; go on without' }],
  });
  return answer !== undefined;
}

/** Returns which texts must stand above the titles. */
export function decideAbove({ above }: Table, ask: Asker): readonly string[] | undefined {
  if (above.length === 0) return [];
  return ask.pick({
    id: 'above',
    step: 'rows',
    about: 'Texts above the titles',
    text: 'Which of these texts must stand above the titles in every file, so that no other export is read?',
    evidence: [],
    options: above.map((value) => ({ value, label: shownText(value) })),
    preselected: above.slice(0, 1),
  });
}

/** Asks whether an invoice may have several rows. */
export function decideRepeated(table: Table, invoice: ColumnRule | undefined, taken: readonly number[], ask: Asker) {
  const place = table.titles.findIndex((title) => title === invoice?.from);
  const numbers = place < 0 ? [] : taken.map((index) => cellAt(table, index, place));
  const repeated = numbers.length - new Set(numbers).size;
  return ask.confirm({
    id: 'repeated',
    step: 'rows',
    about: 'Several rows of one invoice',
    text: 'Can one invoice have several rows, each a payment of its own?',
    evidence: [repeated === 0 ? 'each row has its own invoice' : `${counted(repeated, 'row')} repeat an invoice`],
    preselected: 'no',
  });
}

/** Returns whether the last lines may be left out in every file. */
export function decideTail(tail: readonly SampleRow[], ask: Asker): boolean | undefined {
  return ask.confirm({
    id: 'tail',
    step: 'rows',
    about: 'Lines at the end',
    text: `${counted(tail.length, 'line')} behind the total row with one filled cell: left out. Right?`,
    evidence: tail.map(
      ({ line, cells }) => `line ${line}: ${shownText(cells.find((cell) => cell.trim() !== '') ?? '')}`,
    ),
    preselected: 'yes',
  });
}
