import { type ColumnName, columnsOf, type LayoutName } from '../../../../schemas/layouts.ts';
import { SEPARATORS, type SeparatorName } from '../../../../schemas/profiles.ts';
import type { ProfilePlace } from '../../../../src/csv/profile/check-profile.ts';
import { toWindows1252 } from '../../../../src/rows/windows-1252.ts';
import {
  cardOf,
  type Chooser,
  chooser,
  MADE_PLACES,
  madeCell,
  type MadePayment,
  madePayments,
} from './made-payments.ts';
import { EXPIRY_FORMS, DATE_FORMS, NUMBER_DIALECTS, type NumberDialect, WORDS } from './made-forms.ts';
import { DECOY_TITLES, MADE_TITLES } from './made-titles.ts';

/** What the person who made the export knows, in the words of the answers to the questions. */
export type Truth = {
  readonly layout: LayoutName;
  readonly separator: SeparatorName;
  readonly charset: string;
  readonly titles: readonly string[];
  readonly sources: Readonly<Partial<Record<ColumnName, string>>>;
  readonly numbers: NumberDialect;
  readonly dateForm: string;
  readonly expiryForm: string;
  readonly mops: Readonly<Record<string, string>>;
  readonly negative: 'hold' | 'skip';
  /** Words of the status that are payments, and of those that are not. */
  readonly status:
    | { readonly title: string; readonly take: readonly string[]; readonly skip: readonly string[] }
    | undefined;
  readonly currency: string | undefined;
  readonly above: readonly string[];
};

export type MadeExport = {
  readonly bytes: Buffer;
  readonly place: ProfilePlace;
  readonly truth: Truth;
  /** The payments in the order of the file, as cells of the layout. */
  readonly payments: readonly (readonly string[])[];
  /** Numbers of cards and accounts, and others as long, that must not be shown. */
  readonly secrets: readonly string[];
};

/** Makes an export of an accounting system and the truth about it. */
export function makeExport(seed: number): MadeExport {
  const choose = chooser(seed);
  const place = choose.from(MADE_PLACES);
  const layout = layoutFor(place, choose);
  const rows = makeRows(place, choose);
  const numbers = choose.from(NUMBER_DIALECTS);
  const titles = choose.from(MADE_TITLES);
  const forms = { date: choose.from(DATE_FORMS), expiry: choose.from(EXPIRY_FORMS) };
  const hasStatus = choose.chance(0.6) || rows.some(({ kind }) => kind === 'left');
  const own = columnsOf(layout).flatMap((column) => ownColumns(column, { place, numbers, forms, titles, choose }));
  const decoys = decoyColumns({ numbers, rows, choose, hasStatus, currency: place.account.currency });
  const columns = distinct(choose.chance(0.5) ? choose.shuffled([...own, ...decoys]) : [...own, ...decoys]);
  const truth = truthOf({ place, layout, columns, numbers, forms, rows, hasStatus, choose, own });
  return {
    bytes: writeExport(truth, columns, rows, choose),
    place,
    truth,
    payments: rows
      .filter(({ kind }) => kind === 'payment')
      .map(({ payment }) => columnsOf(layout).map((column) => wantedCell(column, payment, own, place))),
    secrets: rows
      .flatMap((row) => [
        row.payment.cardNumber,
        ...row.payment.account.filter((part) => part.length > 6),
        ...decoys.filter(({ decoy }) => decoy === 'phone' || decoy === 'oldCard').map(({ cell }) => cell(row)),
      ])
      .filter((secret) => secret !== ''),
  };
}

function layoutFor({ operation, account: { country } }: ProfilePlace, choose: Chooser): LayoutName {
  const isByCode = choose.chance(0.25);
  if (operation !== 'card') return isByCode ? 'ach-code' : 'ach';
  if (isByCode) return 'card-code';
  return country === 'CA' ? 'card-ca' : 'card';
}

function makeRows(place: ProfilePlace, choose: Chooser): Row[] {
  const hasLeft = choose.chance(0.4);
  const hasCredits = choose.chance(0.25);
  return madePayments(place, choose).map((payment, index): Row => {
    // The first rows are payments, so that there are always some.
    if (index < 4) return { payment, kind: 'payment', index };
    if (hasLeft && choose.chance(0.25)) return { payment, kind: 'left', index };
    if (hasCredits && choose.chance(0.2))
      return { payment: { ...payment, cents: -payment.cents }, kind: 'credit', index };
    return { payment, kind: 'payment', index };
  });
}

type Own = Column & { readonly column: ColumnName; readonly isWholeName?: true };

type Dialect = {
  readonly place: ProfilePlace;
  readonly numbers: NumberDialect;
  readonly forms: { readonly date: (typeof DATE_FORMS)[number]; readonly expiry: (typeof EXPIRY_FORMS)[number] };
  readonly titles: (typeof MADE_TITLES)[number];
  readonly choose: Chooser;
};

/** Returns the columns of the export that a column of the layout is read from. */
function ownColumns(column: ColumnName, { place, numbers, forms, titles, choose }: Dialect): Own[] {
  const title = choose.from(titles[column]);
  if (column === 'accountNumber') return accountColumns(title, place);
  if (titles.oneName && column === 'firstName') return [];
  if (titles.oneName && column === 'lastName') return nameColumn(titles.oneName);
  const isLeftOut = ['state', 'city', 'comment'].includes(column) && choose.chance(0.2);
  const wayOfWords = choose.below(2);
  const isGrouped = choose.chance(0.3);
  const cells: Partial<Record<ColumnName, (payment: MadePayment) => string>> = {
    date: ({ date }) => forms.date.write(date),
    expiry: ({ expiry }) => forms.expiry.write(expiry),
    amount: ({ cents }) => numbers.write(cents),
    mop: ({ mop }) => WORDS[mop]![wayOfWords]!,
    accountType: ({ accountType }) => WORDS[accountType]![wayOfWords]!,
    cardNumber: ({ cardNumber }) => (isGrouped ? grouped(cardNumber) : cardNumber),
  };
  const write = cells[column] ?? ((payment: MadePayment) => madeCell(column, payment, place.account.country));
  return isLeftOut ? [] : [{ column, title, cell: ({ payment }) => write(payment) }];
}

function grouped(digits: string): string {
  return digits.replace(/(.{4})(?=.)/g, '$1 ');
}

function nameColumn(title: string): Own[] {
  const cell = ({ payment }: Row) => `${payment.lastName}, ${payment.firstName}`;
  return [{ column: 'lastName', title, cell, isWholeName: true }];
}

function accountColumns(title: string, { account: { country } }: ProfilePlace): Own[] {
  const names = country === 'CA' ? ['Institution', 'Transit', title] : ['Routing', title];
  return names.map((name, part) => ({
    column: 'accountNumber',
    title: name,
    cell: ({ payment }) => payment.account[part]!,
  }));
}

/** Two columns never have one title, which is refused elsewhere. */
function distinct<Kind extends Column>(columns: readonly Kind[]): Kind[] {
  const seen = new Set<string>();
  return columns.map((column) => {
    let { title } = column;
    while (seen.has(title.toLowerCase())) title = `${title} 2`;
    seen.add(title.toLowerCase());
    return Object.assign(column, { title });
  });
}

type Known = Pick<Dialect, 'place' | 'numbers' | 'forms' | 'choose'> & {
  readonly layout: LayoutName;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly hasStatus: boolean;
  readonly own: readonly Own[];
};

function truthOf({ layout, columns, numbers, forms, rows, choose, own }: Known): Truth {
  const titleOf = (decoy: Column['decoy']) => columns.find((column) => column.decoy === decoy)?.title;
  const status = titleOf('status');
  const words =
    status === undefined
      ? []
      : [...new Set(rows.map((row) => columns.find(({ title }) => title === status)!.cell(row)))];
  const left = rows
    .filter(({ kind }) => kind === 'left')
    .map((row) => columns.find(({ title }) => title === status)!.cell(row));
  return {
    layout,
    separator: choose.from(Object.keys(SEPARATORS) as SeparatorName[]),
    charset: choose.from(['utf-8', 'windows-1252', 'utf-16']),
    titles: columns.map(({ title }) => title),
    sources: Object.fromEntries(columnsOf(layout).map((column) => [column, sourceOf(column, own)])),
    numbers,
    dateForm: forms.date.form,
    expiryForm: forms.expiry.form,
    mops: Object.fromEntries(Object.entries(WORDS).flatMap(([target, list]) => list.map((word) => [word, target]))),
    negative: rows.some(({ kind }) => kind === 'credit') ? 'skip' : 'hold',
    status:
      status === undefined || left.length === 0
        ? undefined
        : { title: status, take: words.filter((word) => !left.includes(word)), skip: [...new Set(left)] },
    currency: titleOf('currency'),
    above: choose.chance(0.3) ? ['Acme Swim Club Inc'] : [],
  };
}

/** Returns the source of a column in the words of an answer. */
function sourceOf(column: ColumnName, own: readonly Own[]): string {
  const found = own.filter((one) => one.column === column);
  const [first] = found;
  const whole = own.find(({ isWholeName }) => isWholeName);
  if (whole && column === 'firstName') return `${whole.title}, part 2 at ", "`;
  if (whole && column === 'lastName') return `${whole.title}, part 1 at ", "`;
  if (!first) return '(empty)';
  if (column !== 'accountNumber') return first.title;
  return [...(found.length === 3 ? ['"0"'] : []), ...found.map(({ title }) => title)].join(' + ');
}

/** Returns the cell that the layout shall get; nothing where the export lacks the column. */
function wantedCell(column: ColumnName, payment: MadePayment, own: readonly Own[], { account }: ProfilePlace): string {
  return sourceOf(column, own) === '(empty)' ? '' : madeCell(column, payment, account.country);
}

function writeExport(
  { separator, charset, titles, above, numbers }: Truth,
  columns: readonly Column[],
  rows: readonly Row[],
  choose: Chooser,
): Buffer {
  const mark = SEPARATORS[separator];
  const line = (cells: readonly string[]) => `${cells.map((cell) => quoted(cell, mark)).join(mark)}\r\n`;
  const taken = rows.filter(({ kind }) => kind === 'payment');
  const amount = columns.findIndex((column) => column.column === 'amount');
  const total = titles.map((_, place) =>
    place === amount ? numbers.write(taken.reduce((sum, { payment }) => sum + payment.cents, 0)) : '',
  );
  const word = total.findIndex((cell) => cell === '');
  const hasTotal = choose.chance(0.3) && !numbers.isCents;
  const text = [
    ...above.map((one) => line([one, ...titles.slice(1).map(() => '')])),
    ...(above.length > 0 ? [line(['June 2026']), '\r\n'] : []),
    line(titles),
    ...rows.map((row) => line(columns.map(({ cell }) => cell(row)))),
    ...(hasTotal ? [line(total.with(word, choose.from(['TOTAL', 'Total', 'Summe', 'Grand total'])))] : []),
    ...(hasTotal && choose.chance(0.5) ? ['Printed on Monday\r\n'] : []),
  ].join('');
  if (charset === 'utf-16') return Buffer.from(`\ufeff${text}`, 'utf16le');
  return charset === 'windows-1252' ? toWindows1252(text)! : Buffer.from(text);
}

function quoted(cell: string, mark: string): string {
  return cell.includes(mark) || cell.includes('"') ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** A column of the export: its title, and its cell for each row. */
export type Column = {
  readonly title: string;
  readonly cell: (row: Row) => string;
  readonly column?: ColumnName;
  readonly decoy?: keyof typeof DECOY_TITLES;
};

/** `kind`: a payment, a row whose status leaves it out, or one whose sign does. */
export type Row = {
  readonly payment: MadePayment;
  readonly kind: 'payment' | 'left' | 'credit';
  readonly index: number;
};

type Decoys = {
  readonly numbers: NumberDialect;
  readonly rows: readonly Row[];
  readonly choose: Chooser;
  readonly hasStatus: boolean;
  readonly currency: string;
};

/** Columns that are not sent, and look like others. */
export function decoyColumns({ numbers, rows, choose, hasStatus, currency }: Decoys): Column[] {
  const quantity = 1 + choose.below(4);
  let balance = choose.below(900_000);
  const balances = rows.map(({ payment }) => (balance += payment.cents));
  const other = rows.map(() => choose.below(300_000) + 100);
  const phones = rows.map(() => choose.digits(12));
  const olds = rows.map(() => cardOf('VISA', choose));
  const codes = rows.map(() => `C${choose.digits(6)}`);
  const words = choose.from([WORDS['statusEn']!, WORDS['statusDe']!, WORDS['statusFr']!]);
  const all: [number, keyof typeof DECOY_TITLES, Column['cell']][] = [
    [0.3, 'balance', ({ index }) => numbers.write(balances[index]!)],
    [0.3, 'unitPrice', ({ payment }) => numbers.write(Math.trunc(payment.cents / quantity))],
    [0.3, 'amount', ({ index }) => numbers.write(other[index]!)],
    [
      0.3,
      'secondDate',
      ({ payment, index }) => new Date(Date.parse(payment.date) + index * 86_400_000).toISOString().slice(0, 10),
    ],
    [0.3, 'phone', ({ index }) => phones[index]!],
    [0.15, 'oldCard', ({ index }) => olds[index]!],
    [0.3, 'customer', ({ index }) => codes[index]!],
    [0.3, 'memo', ({ payment }) => `for ${payment.firstName}, ${payment.comment}`],
    [0.4, 'currency', () => currency],
    [hasStatus ? 1 : 0, 'status', ({ kind }) => words[kind === 'left' ? 1 : 0]],
  ];
  return all
    .filter(([share]) => choose.chance(share))
    .map(([, name, cell]) => ({ title: choose.from(DECOY_TITLES[name]), cell, decoy: name }));
}
