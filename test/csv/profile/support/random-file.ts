import fc from 'fast-check';
import { type ColumnName, columnsOf } from '../../../../schemas/layouts.ts';
import { Profile, SEPARATORS, type SeparatorName } from '../../../../schemas/profiles.ts';
import { formatCents } from '../../../../src/kernel/money.ts';
import { encodeLines } from './example-files.ts';

type Payment = {
  readonly date: readonly [year: number, month: number, day: number];
  readonly firstName: string;
  readonly lastName: string;
  readonly cents: number;
  readonly card: readonly [mop: string, number: string];
};

type Dialect = {
  readonly charset: 'utf-8' | 'utf-16' | 'windows-1252' | 'iso-8859-1';
  readonly separator: SeparatorName;
  readonly quotesAll: boolean;
  readonly end: string;
  readonly date: 'MM/DD/YYYY' | 'DD.MM.YYYY' | 'YYYY-MM-DD';
  readonly marks: readonly [decimal: '.' | ',', group: ',' | '.' | 'none'];
  readonly order: readonly number[];
};

/** Ways to write a file: character set, separator, quotes, line ends, dates, amounts, order of columns. */
export function someDialect(): fc.Arbitrary<Dialect> {
  return fc.record({
    charset: fc.constantFrom('utf-8', 'utf-16', 'windows-1252', 'iso-8859-1'),
    separator: fc.constantFrom(...(Object.keys(SEPARATORS) as SeparatorName[])),
    quotesAll: fc.boolean(),
    end: fc.constantFrom('\n', '\r\n', '\r'),
    date: fc.constantFrom('MM/DD/YYYY', 'DD.MM.YYYY', 'YYYY-MM-DD'),
    marks: fc.constantFrom(['.', ','], [',', '.'], ['.', 'none'], [',', 'none']),
    order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 8 }),
  });
}

/** A payment, without its invoice. */
export function somePayment(): fc.Arbitrary<Payment> {
  const name = fc.constantFrom(
    'Ada',
    'Byron, Ada',
    'Müller',
    'O"Neil',
    "D'Arc",
    'A;B|C',
    '',
    'St. John  Smith',
    'Zoë; "Z"',
  );
  return fc.record({
    date: fc.tuple(fc.constantFrom(2026), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 13, max: 28 })),
    firstName: name,
    lastName: name,
    cents: fc.integer({ min: 1, max: 999_999_999 }),
    card: fc.constantFrom(['VISA', '4222222222222220'], ['MC', '5555555555554444'], ['AMX', '378282246310005']),
  });
}

const TITLES = ['Day', 'No', 'First', 'Last', 'Due', 'Kind', 'Card', 'Until'];

/** Returns the profile that reads files of a dialect. */
export function profileOf({ charset, separator, date, marks: [decimal, group], order }: Dialect): Profile {
  const empty = { value: '' };
  return Profile.parse({
    layout: 'card',
    read: { charset, separator },
    head: { titles: order.map((place) => TITLES[place]) },
    columns: {
      date: { from: 'Day', format: date },
      invoice: { from: 'No' },
      firstName: { from: 'First', empty: 'keep' },
      lastName: { from: 'Last', empty: 'keep' },
      street: empty,
      city: empty,
      state: empty,
      zipCode: empty,
      amount: { from: 'Due', number: { decimal, group }, sign: 'as-written' },
      mop: { from: 'Kind', words: { VISA: 'VISA', MC: 'MC', AMX: 'AMX' } },
      cardNumber: { from: 'Card' },
      expiry: { from: 'Until', format: 'MM/YY' },
    },
    check: { dates: { back: 1_000, ahead: 1_000 } },
  });
}

/** Writes payments as the accounting system of a dialect would. */
export function writeFile(dialect: Dialect, payments: readonly (Payment & { invoice: string })[]): Buffer {
  const { separator, quotesAll, end, date, marks, order } = dialect;
  const mark = SEPARATORS[separator];
  const quote = (cell: string) =>
    quotesAll || cell.includes(mark) || cell.includes('"') ? `"${cell.replaceAll('"', '""')}"` : cell;
  const lines = payments.map((payment) => {
    const { invoice, firstName, lastName, card } = payment;
    const cells = [
      writtenDate(payment, date),
      invoice,
      firstName,
      lastName,
      writtenAmount(payment, marks),
      ...card,
      '12/28',
    ];
    return order.map((place) => quote(cells[place]!)).join(mark);
  });
  return encodeLines([order.map((place) => TITLES[place]!).join(mark), ...lines], profileOf(dialect), end);
}

function writtenDate({ date: [year, month, day] }: Payment, format: Dialect['date']): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return format.replace('YYYY', String(year)).replace('MM', two(month)).replace('DD', two(day));
}

function writtenAmount({ cents }: Payment, [decimal, group]: Dialect['marks']): string {
  const [whole = '', decimals = ''] = formatCents(cents).split('.');
  const grouped = group === 'none' ? whole : whole.replace(/\d(?=(?:\d{3})+$)/g, `$&${group}`);
  return `${grouped}${decimal}${decimals}`;
}

/** Returns the cells that a person would write for a payment in the layout. */
export function handCells(payment: Payment & { invoice: string }): string[] {
  const { invoice, firstName, lastName, cents, card } = payment;
  const cells: Partial<Record<ColumnName, string>> = {
    date: writtenDate(payment, 'MM/DD/YYYY'),
    invoice,
    firstName,
    lastName,
    amount: formatCents(cents),
    mop: card[0],
    cardNumber: card[1],
    expiry: '12/28',
  };
  return columnsOf('card').map((column) => cells[column] ?? '');
}
