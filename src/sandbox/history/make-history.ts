import { shownEnd } from '../batch/mask-number.ts';
import type { BookRow } from '../books/book-row.ts';
import type { BookSecret } from '../books/book-secret.ts';
import { codeOf, customerKeyOf } from '../books/customer-book.ts';
import { type HistoryPayment, idOf, payerOfRecord } from '../books/payment-book.ts';
import { dueMoments } from '../books/schedule-book.ts';
import type { Customer, PaymentKind } from '../customers/customer.ts';
import { isPaid, outcomeOf, readTotal } from '../handlers/charge.ts';
import { bankStateOf } from '../time/bank-state.ts';
import {
  APPROVED,
  type BatchMoment,
  DAY_MS,
  drawBatches,
  drawCents,
  drawFate,
  drawFrom,
  drawMessage,
  drawMoments,
  drawPerson,
  drawSchedule,
  type DrawnPayment,
  type HistoryPlan,
  newRecord,
  type OnProgress,
  type Person,
  pick,
  refundOf,
  shareOut,
  STORED_CARD,
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
    const count = (counts[index] ?? 0) - shop.runs.length;
    const rows = drawBatches(plan, index, count, random).flatMap((moment) => rowEvents(shop, moment, random));
    const moments = drawMoments(plan, index, count - rows.length, random);
    return [
      ...shop.runs,
      ...rows,
      ...moments.map((ms): ShopEvent => ({ ms, shop, record: undefined, batch: undefined })),
    ];
  });
  // The rows of a batch stay together: sorting keeps the order of what comes at the same moment.
  events.sort((one, other) => one.ms - other.ms);
  const cardKey = keyOf(['card', STORED_CARD]);
  const payments: HistoryPayment[] = [];
  let single = plan.firstSingle;
  let rowSerial = plan.firstRow;
  let batchId = plan.firstBatch - 1;
  for (const event of events) {
    const { record, batch } = event;
    if (batch?.place === 1) batchId += 1;
    const drawn = batch
      ? drawRow(event.shop, batch.kind, random)
      : record
        ? recurringCharge(event, record, random, keyOf)
        : drawPayment(event, random, nextCode);
    const payment = bookPayment(event, drawn, payments.length, batch ? rowSerial : single, String(batchId), cardKey);
    if (batch) rowSerial += 1;
    else if (payment.transactionId !== '') single += 1;
    if (!batch && payment.row.charged && payment.refundOf === undefined) keepRefundable(event.shop, payment, random);
    payments.push(payment);
    if (payments.length % PROGRESS_STEP === 0) onProgress?.(payments.length, plan.size);
  }
  const customers = shops.flatMap(({ account, records }) => records.map((record) => ({ account, record })));
  customers.sort((one, other) => (one.record.createdAt < other.record.createdAt ? -1 : 1));
  return { payments, customers };
}

const PROGRESS_STEP = 10_000;
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
/** A payment to make; with a record it is one of its recurring payments. All properties are always there, as below. */
type ShopEvent = {
  readonly ms: number;
  readonly shop: Shop;
  readonly record: Customer | undefined;
  readonly batch: { readonly kind: PaymentKind; readonly place: number } | undefined;
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
    runs.push(...due.map((ms) => ({ ms, shop, record: planned, batch: undefined })));
  }
  return shop;
}

function personOf(record: Customer): Person {
  return { kind: record.kind, payer: payerOfRecord(record), lastFour: shownEnd(record.number) };
}

/** Returns the rows of a batch. */
function rowEvents(shop: Shop, { ms, rows }: BatchMoment, random: () => number): ShopEvent[] {
  const kind =
    shop.takesBank && random() < 0.4 && shop.people.some((person) => person.kind === 'bank') ? 'bank' : 'card';
  return Array.from({ length: rows }, (_, index) => ({
    ms,
    shop,
    record: undefined,
    batch: { kind, place: index + 1 },
  }));
}

function drawRow({ people }: Shop, kind: PaymentKind, random: () => number): DrawnPayment {
  const drawn = pick(people, random);
  const person = drawn.kind === kind ? drawn : (people.find((other) => other.kind === kind) ?? drawn);
  const message = drawMessage(person.kind, random);
  const isBank = person.kind === 'bank';
  return {
    person,
    operation: isBank ? 'processACHEFTChargeBatch' : 'processCreditCardBatch',
    message: isBank && isPaid(message) ? 'Received' : message,
    amountCents: drawCents(random),
    customerCode: '',
    invoice: undefined,
    refundOf: undefined,
    fate: isBank && isPaid(message) ? drawFate(random) : undefined,
    isStoredCard: false,
    run: undefined,
  };
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
  const amountCents = drawCents(random);
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

/**
 * A bank account declined at once gets no id, as with a single charge. Rows of a batch get one that only reports show.
 * The texts hold no numbers that must be hidden.
 */
function bookPayment(
  { ms, shop, batch }: ShopEvent,
  drawn: DrawnPayment,
  count: number,
  serial: number,
  batchId: string,
  cardKey: string,
): HistoryPayment {
  const { person, message, refundOf: charge, fate, run, isStoredCard, operation, customerCode, amountCents } = drawn;
  const { kind, payer, lastFour } = person;
  const charged = isPaid(message) || message === 'Received';
  const transactionId = batch || kind === 'card' || charged ? idOf(serial) : '';
  const row: BookRow = {
    at: new Date(ms).toISOString(),
    account: shop.account,
    operation,
    batchId: batch ? batchId : '',
    position: batch?.place ?? 1,
    invoice: drawn.invoice ?? `H${100_001 + count}`,
    customerCode,
    amountCents,
    lastFour,
    outcome: outcomeOf(kind, charged),
    message,
    charged,
  };
  const shown = batch || transactionId === '' ? row : { ...row, transactionId };
  const payment = { row: shown, method: kind, transactionId, payer };
  if (!fate && charge === undefined && !isStoredCard) return payment;
  return {
    ...payment,
    ...(fate ? { fate, course: { fate } } : {}),
    ...(charge === undefined ? {} : { refundOf: charge }),
    ...(isStoredCard ? { cardKey } : {}),
    ...(run ? { run } : {}),
  };
}
