import { REPORT_TIMES } from '../../../schemas/reports.ts';
import { formatInZone } from '../../calendar/zone-time.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { formatCents } from '../../kernel/money.ts';
import type { Payer } from '../books/book-row.ts';
import type { HistoryPayment } from '../books/payment-book.ts';
import { type Customer, newCustomer, type PaymentKind } from '../customers/customer.ts';
import type { BankFate } from '../time/bank-state.ts';
import { MAGIC_CARDS } from '../batch/magic-cards.ts';
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
export type HistoryPlan = HistoryWish & {
  readonly firstSingle: number;
  readonly firstCustomer: number;
  readonly firstRow: number;
  readonly firstBatch: number;
};

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

/** When a batch came, and how many rows it has. */
export type BatchMoment = { readonly ms: number; readonly rows: number };

/** Returns the batches of an account, which hold about a fifth of its payments. @param count of its payments */
export function drawBatches(plan: HistoryWish, account: number, count: number, random: () => number): BatchMoment[] {
  const rows = Math.floor(count / 5);
  const sizes = shareOut(rows, Math.ceil(rows / ROWS_OF_A_BATCH));
  const moments = drawMoments(plan, account, sizes.length, random);
  return moments.map((ms, index) => ({ ms, rows: sizes[index] ?? 0 }));
}

const ROWS_OF_A_BATCH = 40;

/** Returns the result file of a batch of a history: its rows as they were sent, and a message after each. */
export function resultOf(payments: readonly HistoryPayment[]): Buffer {
  const lines = payments.map(({ row, method, payer }) => {
    const { firstName, lastName, payment, shownNumber, expiry, comment } = payer;
    const amount = formatCents(row.amountCents);
    const [year, month, day] = row.at.slice(0, 10).split('-');
    const cells =
      method === 'card'
        ? [`${month}/${day}/${year}`, row.invoice, `${firstName} ${lastName}`, amount, payment, shownNumber]
        : [row.invoice, firstName, lastName, payment, shownNumber, amount];
    const last = method === 'card' ? expiry.replace('/', '') : comment;
    return `${[...cells, last, row.message].join(',')}\r\n`;
  });
  return Buffer.from(lines.join(''));
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

/** A payer, and what they pay with. */
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

/** The card of stored customers. */
export const STORED_CARD = MAGIC_CARDS[0]?.number ?? '';
export const APPROVED = MAGIC_CARDS[0]?.otherwise ?? '';

/** Returns a stored customer, paying with the test card or a bank account. */
export function newRecord(
  code: string,
  kind: PaymentKind,
  createdMs: number,
  payer: Payer,
  random: () => number,
): Customer {
  const contact: Partial<Record<string, string>> = { firstName: payer.firstName, lastName: payer.lastName };
  return newCustomer({
    code,
    kind,
    createdAt: new Date(createdMs).toISOString(),
    holder: `${payer.firstName} ${payer.lastName}`,
    number: kind === 'card' ? STORED_CARD : String(100_000_000 + Math.floor(random() * 900_000_000)),
    method: kind === 'card' ? 'VISA' : 'CHECKING',
    expiry: kind === 'card' ? '12/34' : '',
    textOf: (field) => contact[field],
  });
}

/**
 * Draws when and how much a record pays. Cards only: the test account rejects most bank payments by their amount, once the sandbox goes on by itself.
 */
export function drawSchedule(createdMs: number, random: () => number): Customer['schedule'] {
  const isWeekly = random() < 0.4;
  const day = new Date(createdMs + DAY_MS).toISOString().slice(0, 10);
  return {
    recurring: true,
    amount: (pick(ROUND_CENTS, random) / 100).toFixed(2),
    beginDate: `${day}T${String(6 + Math.floor(random() * 12)).padStart(2, '0')}:00:00`,
    endDate: '2099-12-31T00:00:00',
    scheduleType: isWeekly ? 'Weekly' : 'Monthly',
    scheduleDate: String(1 + Math.floor(random() * (isWeekly ? 7 : 28))),
  };
}

/** Draws an amount, often a round one. */
export function drawCents(random: () => number): number {
  return random() < 0.6 ? pick(ROUND_CENTS, random) : 500 + Math.floor(random() * 20_000);
}

/** Draws the answer to a single charge. */
export function drawMessage(kind: PaymentKind, random: () => number): string {
  if (kind === 'bank') return random() < 0.015 ? 'REJECT: 40' : 'OK: 555555:';
  return random() < 0.08 ? `REJECT: ${pick(CARD_CODES, random)}` : APPROVED;
}

/** Draws what the bank makes of a charge that it was sent. */
export function drawFate(random: () => number): BankFate {
  const turn = random();
  if (turn < 0.04) return REJECTED;
  return turn < 0.065 ? pick(RETURNED, random) : ACCEPTED;
}

/** All properties are always there, so that a hundred thousand of them are made fast. */
export type DrawnPayment = {
  readonly person: Person;
  readonly operation: string;
  readonly message: string;
  readonly amountCents: number;
  readonly customerCode: string;
  /** Undefined for a number of its own. */
  readonly invoice: string | undefined;
  readonly refundOf: string | undefined;
  readonly fate: BankFate | undefined;
  readonly isStoredCard: boolean;
  readonly run: HistoryPayment['run'] | undefined;
};

/** Draws how much of a charge is paid back. */
export function refundOf({ row, method, payer, transactionId }: HistoryPayment, random: () => number): DrawnPayment {
  const isCard = method === 'card';
  return {
    person: { kind: method, payer, lastFour: row.lastFour },
    operation: isCard ? 'processCreditCardRefundWithTransactionId' : 'processACHEFTRefundWithTransactionId',
    message: isCard ? APPROVED : 'OK: 555555:',
    amountCents: -(random() < 0.7 ? row.amountCents : Math.ceil(row.amountCents / 2)),
    customerCode: row.customerCode,
    invoice: row.invoice,
    refundOf: transactionId,
    fate: isCard ? undefined : ACCEPTED,
    isStoredCard: false,
    run: undefined,
  };
}

export const ACCEPTED: BankFate = { ends: 'accepted' };
const REJECTED: BankFate = { ends: 'rejected' };
/** Stopped by the payer, account closed, not traced, no such account. */
const RETURNED = [63, 65, 62, 72].map((code): BankFate => ({ ends: 'returned', code }));
/** Mostly general declines and limits, as payers see them. */
const CARD_CODES = [15, 15, 15, 15, 14, 14, 14, 4, 19, 24, 27, 7, 22];
const ROUND_CENTS = [1000, 1500, 2000, 2500, 3000, 5000, 5000, 7500, 10_000, 25_000];
