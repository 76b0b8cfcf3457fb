import { type ColumnName, columnsOf, type LayoutName } from '../../../schemas/layouts.ts';
import { type ColumnRule, Profile, type Title } from '../../../schemas/profiles.ts';
import type { ProfilePlace } from '../../../src/csv/profile/check-profile.ts';
import { type Column, type KnownRow, text } from './columns.ts';

/** An accounting system, as far as its exports show it. */
export type System = {
  readonly name: string;
  readonly place: ProfilePlace;
  readonly layout: LayoutName;
  readonly read: {
    readonly charset: 'utf-8' | 'utf-16' | 'windows-1252' | 'iso-8859-1';
    readonly separator: 'comma' | 'semicolon' | 'tab' | 'pipe';
    readonly quotes?: 'double' | 'none';
    readonly sepLine?: 'allow';
  };
  readonly columns: readonly Column[];
  readonly end?: '\n' | '\r';
  readonly quotesAll?: true;
  /** Lines above the titles; the profile wants the first cell of the first. */
  readonly above?: readonly string[];
  readonly order?: 'any';
  readonly untitled?: true;
  /** Label of the total row in the first column, or of the trailer of a bank: label, rows, sum. */
  readonly total?: { readonly label: string; readonly must: 'once' | 'maybe'; readonly isTrailer?: true };
  /** Behind each payment comes a row `Total for …`. */
  readonly subtotals?: true;
  /** A line behind the total row. */
  readonly tail?: string;
  readonly otherSign?: 'skip';
  /** Titles of columns that add up. */
  readonly sums?: { readonly add: readonly string[]; readonly equals: string };
};

/** Returns the profile that reads the exports of a system. */
export function profileOf(system: System): Profile {
  const { layout, read, columns, order, untitled, above, total, tail, otherSign, sums } = system;
  const titles = columns.map(({ title }) => title);
  const nameOf = (column: Column): Title => (untitled ? columns.indexOf(column) + 1 : column.title);
  const currency = columns.find(({ holds }) => holds === 'currency');
  const status = columns.find(({ words }) => words);
  return Profile.parse({
    layout,
    note: system.name,
    read,
    head: untitled
      ? { titles: 'none', count: titles.length }
      : { titles, ...(order && { order }), ...(above && { within: above.length + 3, above: [above[0]] }) },
    rows: {
      ...(status && { only: [{ column: nameOf(status), ...status.words }] }),
      ...(system.subtotals && { skip: [subtotalRule(system)] }),
      ...(total && { totals: [totalRule(system)] }),
      ...(tail && { tail: 1 }),
      ...(otherSign && { otherSign }),
    },
    columns: rulesOf(system, nameOf),
    ignore: columns.filter((column) => isIgnored(column, system)).map(nameOf),
    check: {
      ...(currency && { cells: [{ column: nameOf(currency), is: [currency.word] }] }),
      ...(sums && { sums: [sums] }),
    },
  });
}

/** A subtotal has a text in the first column, and no invoice. */
function subtotalRule({ columns }: System) {
  const empty = columns.find(({ field }) => field === 'invoice')!.title;
  return {
    name: 'subtotal',
    when: [
      { column: columns[0]!.title, starts: 'Total for ' },
      { column: empty, empty: true },
    ],
  };
}

function totalRule({ columns, total, untitled }: System) {
  const { label, must, isTrailer } = total!;
  if (isTrailer) return { when: { column: 1, is: label }, cells: 3, rows: 2, amount: 3, must };
  const amount = columns.find(({ isAmount }) => isAmount)!;
  const [first] = columns;
  return {
    when: { column: untitled ? 1 : first!.title, is: label },
    amount: untitled ? columns.indexOf(amount) + 1 : amount.title,
    must,
  };
}

function rulesOf({ columns, layout, place }: System, nameOf: (column: Column) => Title) {
  const parts = columns.filter(({ part }) => part);
  const zero = place.account.country === 'CA' ? [{ text: '0' }] : [];
  const accountNumber: ColumnRule = {
    join: [...zero, ...parts.map((column) => ({ from: nameOf(column), ...withoutPlace(column) }))],
  };
  const own = Object.assign({}, ...columns.map((column) => column.rules?.(nameOf(column)) ?? {})) as Partial<
    Record<ColumnName, ColumnRule>
  >;
  const all = { ...own, ...(parts.length > 0 && { accountNumber }) };
  return Object.fromEntries(columnsOf(layout).map((column) => [column, all[column] ?? { value: '' }]));
}

function withoutPlace({ part }: Column) {
  const { place: _, ...rest } = part!;
  return rest;
}

/** A column that only `sums` reads stands among the ignored ones. */
function isIgnored(column: Column, { columns, untitled }: System): boolean {
  const { holds, rules, part, words, title } = column;
  const isNamed = columns.some((other) => JSON.stringify(other.rules?.(other.title) ?? {}).includes(`"${title}"`));
  const isFirstOfTrailer = untitled === true && columns.indexOf(column) === 0;
  return !rules && !part && !words && holds !== 'currency' && !isNamed && !isFirstOfTrailer;
}

export const US = { server: 'NA', country: 'US', currency: 'USD' } as const;
export const CA = { server: 'NA', country: 'CA', currency: 'CAD' } as const;
export const UK = { server: 'UK', country: 'UK', currency: 'GBP' } as const;

export const CARD_US: ProfilePlace = { operation: 'card', account: US };
export const CARD_CA: ProfilePlace = { operation: 'card', account: CA };
export const CARD_UK: ProfilePlace = { operation: 'card', account: UK };
export const BANK_US: ProfilePlace = { operation: 'ach-charge', account: US };
export const BANK_CA: ProfilePlace = { operation: 'ach-charge', account: CA };
export const REFUND_US: ProfilePlace = { operation: 'ach-refund', account: US };

export const IN_US = ['VISA', 'MC', 'AMX', 'DSC'];
export const IN_CA = ['VISA', 'MC', 'AMX'];
export const IN_UK = ['VISA', 'MC', 'AMX', 'MAESTR'];

export const UTF8_COMMA = { charset: 'utf-8', separator: 'comma' } as const;
export const OLD_SEMICOLON = { charset: 'windows-1252', separator: 'semicolon' } as const;

export const ONCE = { label: 'TOTAL', must: 'once' } as const;

/** Some money of a row besides what is due, in cents. */
export const paid = ({ payment }: KnownRow) => (Number(payment.zipCode) % 3) * 1_250;
export const sumOfBoth = (row: KnownRow) => row.payment.cents + paid(row);
export const balance = ({ payment }: KnownRow) => payment.cents + 10_000 + Number(payment.zipCode);

export const address = (prefix = '') => [
  text(`${prefix}Street`, 'street'),
  text(`${prefix}City`, 'city'),
  text(`${prefix}State`, 'state'),
  text(`${prefix}ZIP`, 'zipCode'),
];
export const names = [text('First Name', 'firstName'), text('Last Name', 'lastName')];
