import { REPORT_TIMES } from '../../../schemas/reports.ts';
import { formatInZone } from '../../calendar/zone-time.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Payer } from '../books/book-row.ts';
import type { PaymentKind } from '../customers/customer.ts';
import type { Account } from '../handlers/handler.ts';

/** The traffic that a sandbox begins with. */
export type HistoryOptions = {
  /** How many days before the start of the clock it begins, 1 to 3660. */
  readonly days: number;
  /** The same seed, start of the clock, accounts, days and size give the same payments; 1 when omitted. */
  readonly seed?: number;
  /** How many payments in all accounts together, 1 to 1,000,000; 40 a day in each when omitted. */
  readonly size?: number;
  readonly onProgress?: OnProgress;
};

/** Called now and then while a history is made. */
export type OnProgress = (made: number, size: number) => void;

/** A history of books that are about to begin. */
export type HistoryWish = {
  readonly days: number;
  readonly seed: number;
  readonly size: number;
  /** When it ends, ISO 8601 in UTC; a full hour. */
  readonly endAt: string;
  readonly accounts: readonly Pick<Account, 'agentCode' | 'server'>[];
};

/** All that a history depends on. A change of how it is made changes the history of books that are kept. */
export type HistoryPlan = HistoryWish & { readonly firstSingle: number; readonly firstCustomer: number };

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
const USUAL_A_DAY = 40;
export const MOST_DAYS = 3660;
export const MOST_PAYMENTS = 1_000_000;
export const LARGEST_SEED = 2 ** 32 - 1;

/**
 * @param now the start of the sandbox's clock
 * @throws USAGE when a number is out of its range
 */
export function planHistory(wish: HistoryOptions, accounts: readonly Account[], now: Date): HistoryWish {
  const { days, seed = 1, size = days * USUAL_A_DAY * accounts.length } = wish;
  requireWhole('days', days, 1, MOST_DAYS);
  requireWhole('seed', seed, 0, LARGEST_SEED);
  requireWhole('size', size, 1, MOST_PAYMENTS);
  const endAt = new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS).toISOString();
  const named = accounts.map(({ agentCode, server }) => ({ agentCode, ...(server ? { server } : {}) }));
  return { days, seed, size, endAt, accounts: named };
}

function requireWhole(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new PipelineError('USAGE', `make a history with ${name} ${value}`, `${name} must be ${least} to ${most}`);
}

/** Returns numbers from 0 to below 1 that look random and are the same for the same seed. */
export function drawFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns how many of the payments fall to each account. */
export function shareOut(count: number, accounts: number): number[] {
  return Array.from({ length: accounts }, (_, index) => Math.floor((count + index) / accounts));
}

/**
 * Returns that many moments before the end of a history, in order. Most are in working hours where the account's server
 * is, and weekdays have about three times as many as weekends.
 */
export function drawMoments(plan: HistoryWish, account: number, count: number, random: () => number): number[] {
  const endMs = Date.parse(plan.endAt);
  const startMs = endMs - plan.days * DAY_MS;
  const { timeZone } = REPORT_TIMES[plan.accounts[account]?.server ?? 'NA'];
  const sums = busyUntil(startMs, plan.days, timeZone);
  const total = sums.at(-1) ?? 0;
  let hour = 0;
  return Array.from({ length: count }, (_, index) => {
    const wanted = ((index + random()) / count) * total;
    while ((sums[hour] ?? total) <= wanted && hour < sums.length - 1) hour += 1;
    const before = sums[hour - 1] ?? 0;
    const part = (wanted - before) / ((sums[hour] ?? total) - before);
    return startMs + Math.floor((hour + Math.min(part, 0.999_999)) * HOUR_MS);
  });
}

/** Returns how busy all hours up to and with each one are. */
function busyUntil(startMs: number, days: number, timeZone: string): readonly number[] {
  const sums: number[] = [];
  let sum = 0;
  for (let day = 0; day < days; day += 1) {
    const dayMs = startMs + day * DAY_MS;
    const [, sign, hours] = /([+-])(\d\d):\d\d$/.exec(formatInZone(new Date(dayMs), timeZone)) ?? [];
    const localMs = dayMs + Number(`${sign}${hours}`) * HOUR_MS;
    for (let hour = 0; hour < 24; hour += 1) {
      const local = new Date(localMs + hour * HOUR_MS);
      const isWeekend = local.getUTCDay() % 6 === 0;
      sum += (BUSY_HOURS[Math.floor(local.getUTCHours() / 3)] ?? 1) * (isWeekend ? 0.35 : 1);
      sums.push(sum);
    }
  }
  return sums;
}

/** By three hours, from midnight. */
const BUSY_HOURS = [0.1, 0.1, 0.7, 1.6, 1.8, 1.6, 1.1, 0.5];

/** Somebody who pays, and with what. */
export type Person = { readonly kind: PaymentKind; readonly payer: Payer; readonly lastFour: string };

/** Draws a payer of an account that takes bank payments or not. No whole number stands behind what is shown. */
export function drawPerson(random: () => number, takesBank: boolean): Person {
  const names = { firstName: pick(FIRST_NAMES, random), lastName: pick(LAST_NAMES, random), comment: '' };
  const lastFour = String(1000 + Math.floor(random() * 9000));
  if (takesBank && random() < 0.3) {
    const shownNumber = `1****${lastFour}`;
    const payer = { ...names, payment: random() < 0.7 ? 'CHECKING' : 'SAVING', shownNumber, expiry: '' };
    return { kind: 'bank', payer, lastFour };
  }
  const [payment = '', start = ''] = pick(BRANDS, random);
  const expiry = `${String(1 + Math.floor(random() * 12)).padStart(2, '0')}/${30 + Math.floor(random() * 5)}`;
  return { kind: 'card', payer: { ...names, payment, shownNumber: `${start}${lastFour}`, expiry }, lastFour };
}

/** Draws one of the entries. */
export function pick<Entry>(entries: readonly Entry[], random: () => number): Entry {
  return entries[Math.floor(random() * entries.length)] as Entry;
}

/** The method of payment, and how its masked numbers begin. */
const BRANDS = [
  ['VISA', '4***********'],
  ['VISA', '4***********'],
  ['MC', '5***********'],
  ['AMX', '3**********'],
] as const;
const FIRST_NAMES = ['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Donald', 'Frances', 'Ken', 'Margaret', 'Niklaus'];
const LAST_NAMES = [
  'Byron',
  'Marsh',
  'Okafor',
  'Tremblay',
  'Singh',
  'Novak',
  'Rossi',
  'Chen',
  'Walker',
  'Dubois',
  'Reid',
];
