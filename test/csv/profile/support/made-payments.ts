import type { ColumnName } from '../../../../schemas/layouts.ts';
import type { ProfilePlace } from '../../../../src/csv/profile/check-profile.ts';
import { startsWithRoutingNumber } from '../../../../src/csv/rules/rule-of-column.ts';
import { passesLuhn } from '../../../../src/kernel/luhn.ts';
import { replay } from '../../../support/draws.ts';
import { seededRandom } from '../../../support/random.ts';

export const TODAY = '2026-06-15';

/** Picks from the same sequence for the same seed. */
export function chooser(seed: number): Chooser {
  const next = seededRandom(seed);
  return chooserOf(next, (share) => next() < share);
}

/** Picks as fast-check draws: the first item, and nothing by chance, when it draws 0. */
export function drawnChooser(drawn: readonly number[]): Chooser {
  const next = replay(drawn);
  return chooserOf(next, (share) => next() >= 1 - share);
}

function chooserOf(next: () => number, chance: (share: number) => boolean) {
  const below = (count: number) => Math.floor(next() * count);
  return {
    below,
    from: <Item>(items: readonly Item[]): Item => items[below(items.length)]!,
    chance,
    digits: (count: number) => Array.from({ length: count }, () => below(10)).join(''),
    shuffled: <Item>(items: readonly Item[]): Item[] =>
      items
        .map((item) => ({ item, at: next() }))
        .sort((a, b) => a.at - b.at)
        .map(({ item }) => item),
  };
}
export type Chooser = ReturnType<typeof chooserOf>;

/** A payment of an accounting system, before it is written in any way. */
export type MadePayment = {
  /** YYYY-MM-DD */
  readonly date: string;
  readonly invoice: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly street: string;
  readonly city: string;
  readonly state: string;
  readonly zipCode: string;
  readonly cents: number;
  readonly mop: string;
  readonly cardNumber: string;
  /** YYYY-MM */
  readonly expiry: string;
  readonly accountType: string;
  /** Parts of the account number, in the order of the country. */
  readonly account: readonly string[];
  readonly customerCode: string;
  readonly comment: string;
};

const US = { server: 'NA', country: 'US', currency: 'USD' } as const;
const CA = { server: 'NA', country: 'CA', currency: 'CAD' } as const;
const UK = { server: 'UK', country: 'UK', currency: 'GBP' } as const;

export const MADE_PLACES: readonly ProfilePlace[] = [
  { operation: 'card', account: US },
  { operation: 'card', account: US },
  { operation: 'card', account: CA },
  { operation: 'card', account: UK },
  { operation: 'ach-charge', account: US },
  { operation: 'ach-charge', account: CA },
];

const FIRST = ['Ada', 'Bo', 'Chloé', 'Dan', 'Élise', 'Fritz', 'Grace', 'Hans', 'Inés', 'Jürgen', 'Kim', 'Luis'];
const LAST = ['Byron', 'Wu', 'Müller', 'Lovelace', 'Hopper', 'Núñez', 'Petit', 'Weiß', "O'Brien", 'Garcia', 'Brown'];
const STREETS = ['Mill Lane', 'Main Street', 'Bergstraße', 'Rue Haute', 'Calle Mayor', 'High Road'];
const CITIES = ['Troy', 'Köln', 'Lyon', 'Sevilla', 'Boston', 'Leeds', 'Austin'];
const STATES = ['NY', 'CA', 'TX', 'MA', 'OH', 'WA'];

const PREFIXES: Record<string, readonly [string, number]> = {
  VISA: ['4', 16],
  MC: ['54', 16],
  AMX: ['37', 15],
  DSC: ['6011', 16],
  MAESTR: ['6759', 16],
};

/** Returns a card number of a brand. */
export function cardOf(mop: string, choose: Chooser): string {
  const [prefix, length] = PREFIXES[mop]!;
  const start = prefix + choose.digits(length - prefix.length - 1);
  return start + '0123456789'.split('').find((digit) => passesLuhn(start + digit))!;
}

function routingNumber(choose: Chooser): string {
  const start = `0${1 + choose.below(9)}${choose.digits(6)}`;
  return start + '0123456789'.split('').find((digit) => startsWithRoutingNumber(start + digit))!;
}

/** Makes payments of one export, with invoices in order. */
export function madePayments({ operation, account }: ProfilePlace, choose: Chooser): MadePayment[] {
  const mops =
    account.server === 'UK'
      ? ['VISA', 'MC', 'AMX', 'MAESTR']
      : ['VISA', 'MC', 'AMX', ...(account.country === 'US' ? ['DSC'] : [])];
  const prefix = choose.from(['', '', 'INV-', 'R', 'F2026-', 'D']);
  const isSmall = choose.chance(0.3);
  const isWhole = choose.chance(0.1);
  const first = 1000 + choose.below(9000);
  return Array.from({ length: 6 + choose.below(25) }, (_, index): MadePayment => {
    const mop = choose.from(mops);
    const cents = 100 + choose.below(isSmall ? 90_000 : 400_000);
    return {
      date: new Date(Date.parse(TODAY) - choose.below(60) * 86_400_000).toISOString().slice(0, 10),
      invoice: `${prefix}${first + index}`,
      firstName: choose.from(FIRST),
      lastName: choose.from(LAST),
      street: `${1 + choose.below(200)} ${choose.from(STREETS)}`,
      city: choose.from(CITIES),
      state: choose.from(STATES),
      zipCode: `${1 + choose.below(8)}${choose.digits(4)}`,
      cents: isWhole ? Math.ceil(cents / 100) * 100 : cents,
      mop,
      cardNumber: operation === 'card' ? cardOf(mop, choose) : '',
      expiry: `${2027 + choose.below(8)}-${String(1 + choose.below(12)).padStart(2, '0')}`,
      accountType: choose.from(['CHECKING', 'SAVING']),
      account:
        account.country === 'CA'
          ? [choose.digits(3), choose.digits(5), choose.digits(7)]
          : [routingNumber(choose), `4${choose.digits(8)}`],
      customerCode: `A${choose.digits(5)}`,
      comment: choose.from(['Dues', 'June dues', 'Lessons', 'Locker', 'Annual fee']),
    };
  });
}

/** Returns the cell of a column as the layout wants it. */
export function madeCell(column: ColumnName, payment: MadePayment, country: string): string {
  const { date, expiry, account, cents, firstName, lastName } = payment;
  const decimals = String(Math.abs(cents) % 100).padStart(2, '0');
  const cells: Partial<Record<ColumnName, string>> = {
    ...payment,
    date: `${date.slice(5, 7)}/${date.slice(8)}/${date.slice(0, 4)}`,
    amount: `${cents < 0 ? '-' : ''}${Math.trunc(Math.abs(cents) / 100)}.${decimals}`,
    expiry: `${expiry.slice(5)}/${expiry.slice(2, 4)}`,
    accountNumber: `${country === 'CA' ? '0' : ''}${account.join('')}`,
    fullName: `${firstName} ${lastName}`,
  };
  return cells[column] ?? '';
}
