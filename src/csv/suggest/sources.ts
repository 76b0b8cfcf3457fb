import { type ColumnKind, type ColumnName, COLUMNS, type Country } from '../../../schemas/layouts.ts';
import { SERVER_MOPS } from '../../../schemas/restrictions.ts';
import type { Server } from '../../../schemas/operations.ts';
import type { ColumnRule, Title } from '../../../schemas/profiles.ts';
import { hiddenShown } from '../profile/check/found-fault.ts';
import type { ColumnEvidence } from './kinds-of-columns.ts';
import { shownAmount, shownCell, shownNumber } from './shown.ts';

/** A way to fill a column of the layout. */
export type Source = {
  /** What an answer names: a title as it stands, or the words below. */
  readonly value: string;
  readonly label: string;
  /** The keys of the rule that say where the cells come from. */
  readonly rule: ColumnRule;
  /** Indexes of the columns that it reads. */
  readonly places: readonly number[];
};

export const EMPTY_SOURCE = '(empty)';
export const SAME_TEXT_SOURCE = '(same text)';

/** Returns the source of a single column. */
export function columnSource(title: Title, cells: ColumnEvidence): Source {
  const value = String(title);
  const [example] = cells.filled;
  const label = `${titleShown(title)}${example === undefined ? ', empty' : `, such as ${shownExample(cells)}`}`;
  return { value, label, rule: { from: title }, places: [cells.place] };
}

/** Shows the first cell of a column, masked. */
export function shownExample(cells: ColumnEvidence): string {
  const [example = ''] = cells.filled;
  // Dates are no secret, but would look like long numbers.
  if (cells.dateForms.length > 0 && !cells.digits) return hiddenShown(example);
  return cells.isMoney ? shownAmount(example) : shownCell(example);
}

export function titleShown(title: Title): string {
  return typeof title === 'number' ? `column ${title}` : shownCell(title);
}

type Sample = {
  readonly titles: readonly Title[];
  readonly columns: readonly ColumnEvidence[];
  readonly account: { readonly server: Server; readonly country: Country };
};

/** Returns the sources of a column that are more than one column as it stands. */
export function otherSources(column: ColumnName, sample: Sample): readonly Source[] {
  const make = SOURCES_OF_KIND[COLUMNS[column].kind];
  return make?.(sample, column) ?? [];
}

const SOURCES_OF_KIND: {
  readonly [Kind in ColumnKind]?: (sample: Sample, column: ColumnName) => readonly Source[];
} = {
  amount: amountPairs,
  expiry: monthAndYear,
  accountNumber: (sample) => accountParts(sample).toSorted((a, b) => spreadOf(a) - spreadOf(b)),
  mop: ({ account: { server } }) => SERVER_MOPS[server].map(constant),
  accountType: () => ['CHECKING', 'SAVING'].map(constant),
  text: (sample, column) => [...splitNames(column, sample), ...constants(column)],
};

function constant(value: string): Source {
  return { value: `"${value}"`, label: `the same in each row: ${value}`, rule: { value }, places: [] };
}

function constants(column: ColumnName): Source[] {
  const empty: Source = { value: EMPTY_SOURCE, label: 'empty in each row', rule: { value: '' }, places: [] };
  const text: Source = { value: SAME_TEXT_SOURCE, label: 'the same text in each row', rule: { value: '' }, places: [] };
  return column === 'comment' ? [empty, text] : [empty];
}

/** Two columns of which each row fills one. */
function amountPairs({ titles, columns }: Sample): Source[] {
  const amounts = columns.filter(({ isMoney }) => isMoney);
  return amounts.flatMap((a) =>
    amounts
      .filter((b) => a !== b && takeTurns(a, b))
      .map((b): Source => {
        const [positive, negative] = [titles[a.place]!, titles[b.place]!];
        return {
          value: `${positive} - ${negative}`,
          label: `${titleShown(positive)}, and ${titleShown(negative)} with a minus`,
          rule: { positive, negative, nothing: nothingOf(a, b) },
          places: [a.place, b.place],
        };
      }),
  );
}

function takeTurns(a: ColumnEvidence, b: ColumnEvidence): boolean {
  return a.cents.every((cents, at) => Boolean(cents) !== Boolean(b.cents[at])) && a.cents.some(Boolean);
}

/** How the column that does not count is written. */
function nothingOf(a: ColumnEvidence, b: ColumnEvidence): string[] {
  const zeros = [a, b].flatMap(({ filled }) => filled.filter((cell) => /^[^1-9]*$/.test(cell)));
  return [...new Set([...(a.empty + b.empty > 0 ? [''] : []), ...zeros])];
}

function monthAndYear({ titles, columns }: Sample): Source[] {
  const isMonth = (cell: string) => /^(?:0?[1-9]|1[0-2])$/.test(cell);
  const isYear = (cell: string) => /^(?:20)?[2-6]\d$/.test(cell);
  const filledBy = (test: (cell: string) => boolean) =>
    columns.filter(({ filled }) => filled.length > 0 && filled.every(test));
  return filledBy(isMonth).flatMap((month) =>
    filledBy(isYear)
      .filter((year) => year !== month && Math.abs(year.place - month.place) <= 1)
      .map((year): Source => {
        const rule = { month: titles[month.place]!, year: titles[year.place]! };
        return {
          value: `${rule.month} / ${rule.year}`,
          label: `${titleShown(rule.month)} for the month, ${titleShown(rule.year)} for the year`,
          rule,
          places: [month.place, year.place],
        };
      }),
  );
}

type Parts = NonNullable<ColumnRule['join']>;

/** Bank numbers and account number in columns of their own, as the country writes them. */
function accountParts({ titles, columns, account: { country } }: Sample): Source[] {
  const digits = (least: number, most: number) =>
    columns.filter(
      (cells) =>
        cells.digits && cells.digits.least >= least && cells.digits.most <= most && cells.empty < cells.filled.length,
    );
  if (country === 'CA') {
    return digits(3, 3).flatMap((bank) =>
      digits(5, 5).flatMap((transit) =>
        digits(5, 12)
          .filter((account) => new Set([bank, transit, account]).size === 3)
          .map((account) =>
            joined(
              [bank, transit, account],
              [
                { text: '0' },
                { from: titles[bank.place]!, digits: 3 },
                { from: titles[transit.place]!, digits: 5 },
                { from: titles[account.place]!, digits: '5..12' },
              ],
            ),
          ),
      ),
    );
  }
  return digits(9, 9)
    .filter(({ isRouting }) => isRouting)
    .flatMap((bank) =>
      digits(4, 17)
        .filter((account) => account !== bank)
        .map((account) =>
          joined(
            [bank, account],
            [
              { from: titles[bank.place]!, digits: 9, check: 'aba' },
              { from: titles[account.place]!, digits: '4..17' },
            ],
          ),
        ),
    );
}

/** Parts of an account mostly stand near each other. */
function spreadOf({ places }: Source): number {
  return Math.max(...places) - Math.min(...places);
}

function joined(columns: readonly ColumnEvidence[], join: Parts): Source {
  const value = join.map((part) => ('text' in part ? `"${part.text}"` : part.from)).join(' + ');
  let next = 0;
  const example = join.map((part) => ('text' in part ? part.text : shownNumber(columns[next++]!.filled[0] ?? '')));
  return {
    value,
    label: `${value}, such as ${example.join(' + ')}`,
    rule: { join },
    places: columns.map(({ place }) => place),
  };
}

const NAME_SPLITS: readonly { readonly split: string; readonly firstName: number; readonly lastName: number }[] = [
  { split: ', ', lastName: 1, firstName: 2 },
  { split: ' ', firstName: 1, lastName: 2 },
];

/** A name in one column, cut in two. A company has no first name. */
function splitNames(column: ColumnName, { titles, columns }: Sample): Source[] {
  if (column !== 'firstName' && column !== 'lastName') return [];
  return columns.flatMap((cells) =>
    NAME_SPLITS.filter(({ split }) => shareOfTwo(cells, split) >= 0.5).map(({ split, ...parts }): Source => {
      const [from, part] = [titles[cells.place]!, parts[column]];
      const isAlways = shareOfTwo(cells, split) === 1;
      const otherwise = column === 'lastName' ? ('whole' as const) : ('empty' as const);
      const example = cells.filled.find((cell) => cell.split(split).length === 2)!.split(split)[part - 1]!;
      return {
        value: `${from}, part ${part} at "${split}"`,
        label: `${titleShown(from)}, its part ${part} at "${split}", such as ${shownCell(example)}`,
        rule: { from, split, part, of: 2, ...(!isAlways && { otherwise }) },
        places: [cells.place],
      };
    }),
  );
}

function shareOfTwo({ filled, letters }: ColumnEvidence, split: string): number {
  if (filled.length === 0 || letters < 0.9) return 0;
  return filled.filter((cell) => cell.split(split).length === 2 && !/\d/.test(cell)).length / filled.length;
}
