import { MAGIC_CARDS } from '../batch/magic-cards.ts';
import { shownEnd } from '../batch/mask-number.ts';
import type { Payer } from '../books/book-row.ts';
import type { BookSecret } from '../books/book-secret.ts';
import { codeOf, customerKeyOf } from '../books/customer-book.ts';
import { type HistoryPayment, idOf, payerOfRecord } from '../books/payment-book.ts';
import { dueMoments } from '../books/schedule-book.ts';
import { type Customer, newCustomer, type PaymentKind } from '../customers/customer.ts';
import { isPaid, readTotal, singleRow } from '../handlers/charge.ts';
import { type BankFate, bankStateOf } from '../time/bank-state.ts';
import {
  DAY_MS,
  drawFrom,
  drawMoments,
  drawPerson,
  type HistoryPlan,
  type OnProgress,
  type Person,
  pick,
  shareOut,
} from './plan-history.ts';

/** The payments of a history, oldest first, and the customer records, oldest first. */
type History = {
  readonly payments: readonly HistoryPayment[];
  readonly customers: readonly { readonly account: string; readonly record: Customer }[];
};

/**
 * Makes plausible traffic of cards and bank accounts: approved, declined, accepted, rejected and returned, refunds,
 * stored customers and recurring payments. The same plan gives the same history.
 */
export function makeHistory(plan: HistoryPlan, keyOf: BookSecret['keyOf'], onProgress?: OnProgress): History {
  const random = drawFrom(plan.seed);
  let customerSerial = plan.firstCustomer;
  const nextCode = () => codeOf(customerSerial++);
  const counts = shareOut(plan.size, plan.accounts.length);
  const shops = plan.accounts.map((_, index) => openShop(plan, index, counts[index] ?? 0, random, nextCode));
  const events = shops.flatMap((shop, index) => {
    const moments = drawMoments(plan, index, (counts[index] ?? 0) - shop.runs.length, random);
    return [...shop.runs, ...moments.map((ms): ShopEvent => ({ ms, shop }))];
  });
  events.sort((one, other) => one.ms - other.ms);
  const cardKey = keyOf(['card', STORED_CARD]);
  const payments: HistoryPayment[] = [];
  let serial = plan.firstSingle;
  for (const event of events) {
    const drawn = event.record
      ? recurringCharge(event, event.record, random, keyOf)
      : drawPayment(event, random, nextCode);
    const payment = bookPayment(event, drawn, payments.length, serial, cardKey);
    if (payment.transactionId !== '') serial += 1;
    if (payment.row.charged && payment.refundOf === undefined) keepRefundable(event.shop, payment, random);
    payments.push(payment);
    if (payments.length % PROGRESS_STEP === 0) onProgress?.(payments.length, plan.size);
  }
  const customers = shops.flatMap(({ account, records }) => records.map((record) => ({ account, record })));
  customers.sort((one, other) => (one.record.createdAt < other.record.createdAt ? -1 : 1));
  return { payments, customers };
}

const PROGRESS_STEP = 10_000;
const STORED_CARD = MAGIC_CARDS[0]?.number ?? '';
const APPROVED = MAGIC_CARDS[0]?.otherwise ?? '';

/** An account while its history is made. */
type Shop = {
  readonly account: string;
  readonly takesBank: boolean;
  readonly people: readonly Person[];
  readonly records: Customer[];
  /** Recurring payments, in the order of their records. */
  readonly runs: readonly ShopEvent[];
  /** Charges that may be paid back. */
  readonly refundable: HistoryPayment[];
};
/** A payment to make; with a record it is one of its recurring payments. */
type ShopEvent = { readonly ms: number; readonly shop: Shop; readonly record?: Customer };
/** All properties are always there, so that a hundred thousand of them are made fast. */
type DrawnPayment = {
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

function openShop(plan: HistoryPlan, index: number, count: number, random: () => number, nextCode: () => string): Shop {
  const { agentCode: account = '', server } = plan.accounts[index] ?? {};
  const takesBank = server !== 'UK';
  const people = Array.from({ length: Math.min(200, 5 + Math.ceil(count / 10)) }, () => drawPerson(random, takesBank));
  const endMs = Date.parse(plan.endAt);
  const startMs = endMs - plan.days * DAY_MS;
  const runs: ShopEvent[] = [];
  const shop: Shop = { account, takesBank, people, records: [], runs, refundable: [] };
  const recurring = Math.min(30, Math.ceil(count / 60));
  for (let made = 0; made < recurring + Math.min(60, Math.ceil(count / 40)); made += 1) {
    const createdMs = startMs + Math.floor((random() * (endMs - startMs)) / 2);
    const kind = made >= recurring && takesBank && random() < 0.4 ? 'bank' : 'card';
    const record = newRecord(nextCode(), kind, createdMs, pick(people, random).payer, random);
    const planned = made < recurring ? { ...record, schedule: drawSchedule(createdMs, random) } : record;
    const due = [...dueMoments(planned.schedule, createdMs, endMs)];
    if (runs.length + due.length > count / 4) continue;
    shop.records.push(planned);
    runs.push(...due.map((ms) => ({ ms, shop, record: planned })));
  }
  return shop;
}

function newRecord(code: string, kind: PaymentKind, createdMs: number, payer: Payer, random: () => number): Customer {
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

/** Cards only: the test account rejects most bank payments by their amount, once the sandbox goes on by itself. */
function drawSchedule(createdMs: number, random: () => number): Customer['schedule'] {
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

function personOf(record: Customer): Person {
  return { kind: record.kind, payer: payerOfRecord(record), lastFour: shownEnd(record.number) };
}

function recurringCharge(
  { ms, shop }: ShopEvent,
  record: Customer,
  random: () => number,
  keyOf: BookSecret['keyOf'],
): DrawnPayment {
  const customerKey = keyOf(customerKeyOf(shop.account, record.code));
  return {
    person: personOf(record),
    operation: 'recurring',
    message: random() < 0.05 ? 'REJECT: 14' : APPROVED,
    amountCents: readTotal(record.schedule.amount) ?? 0,
    customerCode: record.code,
    invoice: 'Recurring payment',
    refundOf: undefined,
    fate: undefined,
    isStoredCard: true,
    run: { customerKey, dueAt: new Date(ms).toISOString() },
  };
}

function drawPayment({ ms, shop }: ShopEvent, random: () => number, nextCode: () => string): DrawnPayment {
  const turn = random();
  const refunded = turn < 0.025 ? takeRefundable(shop, ms, random) : undefined;
  if (refunded) return refundOf(refunded, random);
  const stored = turn < 0.2 && shop.records.length > 0 ? pick(shop.records, random) : undefined;
  const isKnown = stored !== undefined && Date.parse(stored.createdAt) < ms;
  const person = isKnown ? personOf(stored) : pick(shop.people, random);
  const { kind } = person;
  const message = drawMessage(kind, random);
  const amountCents = random() < 0.6 ? pick(ROUND_CENTS, random) : 500 + Math.floor(random() * 20_000);
  const fate = kind === 'bank' && isPaid(message) ? drawFate(random) : undefined;
  const made = (operation: string, payer: Person, customerCode: string): DrawnPayment => ({
    person: payer,
    operation,
    message,
    amountCents,
    customerCode,
    invoice: undefined,
    refundOf: undefined,
    fate,
    isStoredCard: kind === 'card' && customerCode !== '',
    run: undefined,
  });
  if (isKnown) {
    const operation = kind === 'card' ? 'processCreditCardWithCustomerCode' : 'processACHEFTWithCustomerCode';
    return made(operation, person, stored.code);
  }
  if (turn >= 0.2 && turn < 0.21 && shop.records.length < 300 && isPaid(message)) {
    const record = newRecord(nextCode(), kind, ms, person.payer, random);
    shop.records.push(record);
    const operation = kind === 'card' ? 'createCustomerCodeAndProcessCreditCard' : 'createCustomerCodeAndProcessACHEFT';
    return made(operation, personOf(record), record.code);
  }
  return made(kind === 'card' ? 'processCreditCard' : 'processACHEFT', person, '');
}

function drawMessage(kind: PaymentKind, random: () => number): string {
  if (kind === 'bank') return random() < 0.015 ? 'REJECT: 40' : 'OK: 555555:';
  return random() < 0.08 ? `REJECT: ${pick(CARD_CODES, random)}` : APPROVED;
}

function drawFate(random: () => number): BankFate {
  const turn = random();
  if (turn < 0.04) return REJECTED;
  return turn < 0.065 ? pick(RETURNED, random) : ACCEPTED;
}

/** Takes a charge that can be paid back at that moment: of a bank account, what the bank has accepted for good. */
function takeRefundable({ refundable }: Shop, ms: number, random: () => number): HistoryPayment | undefined {
  const place = Math.floor(random() * refundable.length);
  const found = refundable[place];
  if (!found) return undefined;
  const { row, fate } = found;
  const isAccepted =
    !fate ||
    (fate.ends === 'accepted' &&
      bankStateOf(new Date(row.at), row.amountCents, new Date(ms), { fate }).stage === 'accepted');
  if (!isAccepted) return undefined;
  refundable.splice(place, 1);
  return found;
}

/** A full list gives up an entry by lot. */
function keepRefundable({ refundable }: Shop, payment: HistoryPayment, random: () => number): void {
  if (refundable.length < MOST_REFUNDABLE) refundable.push(payment);
  else refundable[Math.floor(random() * MOST_REFUNDABLE)] = payment;
}

const MOST_REFUNDABLE = 300;

function refundOf({ row, method, payer, transactionId }: HistoryPayment, random: () => number): DrawnPayment {
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

/** A bank account declined at once gets no id, as with a single charge. */
function bookPayment(
  { ms, shop }: ShopEvent,
  drawn: DrawnPayment,
  count: number,
  serial: number,
  cardKey: string,
): HistoryPayment {
  const { person, message, refundOf: charge, fate, run, isStoredCard } = drawn;
  const { kind, payer, lastFour } = person;
  const transactionId = kind === 'card' || isPaid(message) ? idOf(serial) : '';
  const row = singleRow({
    kind,
    at: new Date(ms).toISOString(),
    account: shop.account,
    operation: drawn.operation,
    invoice: drawn.invoice ?? `H${100_001 + count}`,
    customerCode: drawn.customerCode,
    amountCents: drawn.amountCents,
    lastFour,
    message,
    transactionId,
  });
  const payment = { row, method: kind, transactionId, payer };
  if (!fate && charge === undefined && !isStoredCard) return payment;
  return {
    ...payment,
    ...(fate ? { fate, course: { fate } } : {}),
    ...(charge === undefined ? {} : { refundOf: charge }),
    ...(isStoredCard ? { cardKey } : {}),
    ...(run ? { run } : {}),
  };
}

const ACCEPTED: BankFate = { ends: 'accepted' };
const REJECTED: BankFate = { ends: 'rejected' };
/** Stopped by the payer, account closed, not traced, no such account. */
const RETURNED = [63, 65, 62, 72].map((code): BankFate => ({ ends: 'returned', code }));
/** Mostly general declines and limits, as payers see them. */
const CARD_CODES = [15, 15, 15, 15, 14, 14, 14, 4, 19, 24, 27, 7, 22];
const ROUND_CENTS = [1000, 1500, 2000, 2500, 3000, 5000, 5000, 7500, 10_000, 25_000];
