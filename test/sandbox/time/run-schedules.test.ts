import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Books, openBooks } from '../../../src/sandbox/books/open-books.ts';
import type { Call, HandlerContext } from '../../../src/sandbox/handlers/handler.ts';
import { HANDLERS } from '../../../src/sandbox/handlers/handlers.ts';
import { runSchedules, tryToRunSchedules } from '../../../src/sandbox/time/run-schedules.ts';
import { callSandbox, CUSTOMER_PATH, makeCall, makeContext, valueOf } from '../support/make-context.ts';
import { useSandboxes } from '../support/sandbox-world.ts';
import { bankDates, bankStateOf, DEPARTURE_HOURS, fateOf } from '../../../src/sandbox/time/bank-state.ts';

const world = useSandboxes();
const DAY_MS = 24 * 60 * 60 * 1000;
const BANK = '02100002100000000000000001';

// The context's clock starts on 2026-06-15, a Monday, at 10:00.
const WEEKLY = {
  recurring: 'true',
  amount: '5.00',
  beginDate: '2026-06-15T00:00:00Z',
  endDate: '2027-12-31T00:00:00Z',
  scheduleType: 'Weekly',
  scheduleDate: '5',
};
const CARD = {
  customerCode: 'C1',
  creditCardNum: '4222222222222220',
  creditCardExpiry: '12/49',
  mop: 'VISA',
  ...WEEKLY,
};

describe('runSchedules', () => {
  it('books a payment at each due moment that the clock has passed, like a charge by customer code', async () => {
    const { context, pass } = await makeWorld();
    await call(context, 'createCreditCardCustomerCode', { ...CARD, firstName: 'Ada' });
    await runSchedules(context);
    expect(context.books.rows()).toEqual([]);
    await pass(14);
    expect(context.books.rows()).toEqual(
      ['2026-06-18', '2026-06-25'].map((day, index) => ({
        at: `${day}T00:00:00.000Z`,
        account: 'TEST88',
        operation: 'recurring',
        batchId: '',
        position: 1,
        invoice: 'Recurring payment',
        customerCode: 'C1',
        amountCents: 500,
        lastFour: '2220',
        outcome: 'approved',
        message: 'OK: 678594:',
        charged: true,
        transactionId: `A600000${index + 1}`,
      })),
    );
    expect(context.books.payments.list('TEST88')[0]?.payer).toMatchObject({ firstName: 'Ada', payment: 'VISA' });
  });

  it.each([
    ['a card', 'createCreditCardCustomerCode', { ...CARD, creditCardNum: '4111111111111111' }, 'REJECT: 15', true],
    ['an amount that is none', 'createCreditCardCustomerCode', { ...CARD, amount: '' }, 'REJECT: 5', true],
    [
      'an account',
      'createACHEFTCustomerCode',
      { ...WEEKLY, customerCode: 'C1', accountNum: BANK },
      'OK: 555555:',
      true,
    ],
    ['an empty account', 'createACHEFTCustomerCode', { ...WEEKLY, customerCode: 'C1' }, 'REJECT: 40', false],
  ] as const)('judges %s like any charge', async (_, operation, fields, message, hasId) => {
    const { context, pass } = await makeWorld();
    await call(context, operation, fields);
    await pass(7);
    const [row, ...others] = context.books.rows();
    expect(others).toEqual([]);
    expect(row).toMatchObject({ message, charged: message.startsWith('OK') });
    expect(row?.transactionId !== undefined).toBe(hasId);
  });

  it('books each once, however often and at how many places it is called', async () => {
    const { context, clock } = await makeWorld();
    await call(context, 'createCreditCardCustomerCode', CARD);
    await call(context, 'createCreditCardCustomerCode', { ...CARD, customerCode: 'C2', scheduleDate: '6' });
    clock.advance(365 * DAY_MS);
    await Promise.all([runSchedules(context), runSchedules(context), runSchedules(context)]);
    await runSchedules(context);
    expect(context.books.rows()).toHaveLength(104);
    expect(new Set(runsOf(context.books)).size).toBe(104);
    expect(context.books.rows().map(({ at }) => at)).toEqual(
      context.books
        .rows()
        .map(({ at }) => at)
        .sort(),
    );
    expect(new Set(context.books.rows().map(({ transactionId }) => transactionId)).size).toBe(104);
  });

  it('takes nothing back and books nothing again when the clock goes back and forth', async () => {
    const { context, pass } = await makeWorld();
    await call(context, 'createCreditCardCustomerCode', CARD);
    await pass(14);
    await pass(-14);
    await pass(21);
    expect(runsOf(context.books)).toEqual(['C1 2026-06-18', 'C1 2026-06-25', 'C1 2026-07-02']);
  });

  it('makes up for nothing that was due before the record was created', async () => {
    const { context, pass } = await makeWorld();
    await call(context, 'createCreditCardCustomerCode', { ...CARD, beginDate: '2020-01-01T00:00:00Z' });
    await pass(7);
    expect(runsOf(context.books)).toEqual(['C1 2026-06-18']);
  });

  it('follows an update from then on, and stops when it is switched off or deleted', async () => {
    const { context, pass } = await makeWorld();
    await call(context, 'createCreditCardCustomerCode', CARD);
    await pass(7);
    await call(context, 'updateCreditCardCustomerCode', { customerCode: 'C1', scheduleDate: '4', amount: '7.00' });
    await pass(7);
    await call(context, 'updateCreditCardCustomerCode', { customerCode: 'C1', recurring: 'false' });
    await pass(7);
    await call(context, 'updateCreditCardCustomerCode', { customerCode: 'C1', recurring: 'true' });
    await pass(7);
    await call(context, 'deleteCustomerCode', { customerCode: 'C1' });
    await pass(7);
    expect(runsOf(context.books)).toEqual(['C1 2026-06-18', 'C1 2026-06-24', 'C1 2026-07-08']);
    expect(context.books.rows().map(({ amountCents }) => amountCents)).toEqual([500, 700, 700]);
  });

  it('has booked each once after a restart, wherever the books were cut', async () => {
    const folder = await world.folder();
    const path = join(folder, 'books.jsonl');
    const before = await makeContext({ books: await openBooks(folder) });
    await call(before.context, 'createCreditCardCustomerCode', CARD);
    before.clock.advance(35 * DAY_MS);
    await runSchedules(before.context);
    const runs = runsOf(before.context.books);
    expect(runs).toHaveLength(5);
    await before.context.books.close();
    const text = await readFile(path, 'utf8');
    const recordEnd = text.indexOf('\n') + 1;
    for (let end = recordEnd; end <= text.length; end += Math.ceil((text.length - recordEnd) / 12)) {
      await writeFile(path, text.slice(0, end));
      const { context, clock } = await makeContext({ books: await openBooks(folder) });
      clock.advance(35 * DAY_MS);
      await runSchedules(context);
      expect(runsOf(context.books)).toEqual(runs);
      await context.books.close();
    }
  });

  it('can be refunded like any charge', async () => {
    const { context, pass } = await makeWorld();
    await call(context, 'createCreditCardCustomerCode', CARD);
    await pass(7);
    await call(context, 'processCreditCardRefundWithTransactionId', { transactionId: 'A6000001', total: '-5.00' });
    expect(context.books.rows()[1]).toMatchObject({ customerCode: 'C1', amountCents: -500, charged: true });
  });

  it('fails when the books cannot be written, which tryToRunSchedules only logs', async () => {
    const lines: string[] = [];
    const books = await openBooks(await world.folder());
    const { context, clock } = await makeContext({ books });
    await call(context, 'createCreditCardCustomerCode', CARD);
    await books.close();
    clock.advance(7 * DAY_MS);
    await expect(runSchedules(context)).rejects.toMatchObject({ code: 'DISK_FULL' });
    const error = (_: object, message: string) => void lines.push(message);
    await tryToRunSchedules({ ...context, log: { ...context.log, error } as unknown as HandlerContext['log'] });
    expect(lines).toEqual(['recurring payments not booked']);
  });
});

describe('a sandbox with recurring payments', () => {
  it('has booked what is due before it answers or shows its books, and on request', async () => {
    const sandbox = await world.start({ now: '2026-06-15T10:00:00Z' });
    await callSandbox(sandbox, 'CreateCreditCardCustomerCode', CARD, { path: CUSTOMER_PATH });
    sandbox.clock.advance(7 * DAY_MS);
    const shown = await (await fetch(`${sandbox.url}/sandbox/books`)).text();
    expect(shown.trim().split('\n')).toHaveLength(1);
    sandbox.clock.advance(7 * DAY_MS);
    const refund = { transactionId: 'A6000002', total: '-5.00' };
    const answer = await callSandbox(sandbox, 'ProcessCreditCardRefundWithTransactionId', refund);
    expect(valueOf(answer, 'AUTHORIZATIONRESULT')).toBe(' OK: 678594:\n');
    sandbox.clock.advance(7 * DAY_MS);
    await sandbox.settle();
    expect(sandbox.books().map(({ at }) => at.slice(5, 10))).toEqual(['06-18', '06-25', '06-29', '07-02']);
  });
});

describe('bankDates', () => {
  // June 15, 2026 is a Monday. The Pacific is 7 hours behind UTC in summer. It was 8 in winter until 2026, when
  // Vancouver kept summer time; for later winters Node's answer depends on its time zone data.
  it.each([
    ['just before the first file of Monday', '2026-06-15T09:59:59.999Z', '06-15T10', '06-17T10', '06-22T10'],
    ['with the first file of Monday, too late for it', '2026-06-15T10:00:00Z', '06-15T22', '06-17T22', '06-22T22'],
    ['after the last file of Monday', '2026-06-15T23:00:00Z', '06-16T10', '06-18T10', '06-23T10'],
    ['on Tuesday afternoon', '2026-06-16T21:59:00Z', '06-16T22', '06-18T22', '06-23T22'],
    ['after the last file of Tuesday', '2026-06-16T22:30:00Z', '06-17T22', '06-19T22', '06-24T22'],
    ['on Wednesday night, which has one file only', '2026-06-17T08:00:00Z', '06-17T22', '06-19T22', '06-24T22'],
    ['on Thursday', '2026-06-18T12:00:00Z', '06-18T22', '06-22T22', '06-25T22'],
    ['after the last file of Friday', '2026-06-19T22:00:00Z', '06-22T10', '06-24T10', '06-29T10'],
    ['on Saturday', '2026-06-20T12:00:00Z', '06-22T10', '06-24T10', '06-29T10'],
    ['on Sunday of the Pacific, Monday of UTC', '2026-06-22T05:00:00Z', '06-22T10', '06-24T10', '06-29T10'],
    ['in winter', '2026-01-05T10:59:59Z', '01-05T11', '01-07T11', '01-12T11'],
    ['before the clock of the Pacific goes forward', '2026-03-06T22:00:00Z', '03-06T23', '03-10T22', '03-13T22'],
    ['before the clock of the Pacific goes back', '2025-10-31T21:00:00Z', '10-31T22', '11-04T23', '11-07T23'],
  ])('of a charge taken %s', (_, takenAt, leaves, answered, returned) => {
    const year = takenAt.slice(0, 5);
    expect(bankDates(new Date(takenAt))).toEqual({
      leavesAt: new Date(`${year}${leaves}:00:00Z`),
      answeredAt: new Date(`${year}${answered}:00:00Z`),
      returnedAt: new Date(`${year}${returned}:00:00Z`),
    });
  });

  it('are the same when they are asked for again within the hour, and others after it', () => {
    const first = bankDates(new Date('2026-06-15T09:00:00Z'));
    expect(bankDates(new Date('2026-06-15T09:59:59Z'))).toEqual(first);
    expect(bankDates(new Date('2026-06-15T10:00:01Z'))).not.toEqual(first);
  });
});

const TAKEN_AT = '2026-06-15T09:00:00.000Z';
const LEFT_AT = '2026-06-15T10:00:00.000Z';
const ANSWERED_AT = '2026-06-17T10:00:00.000Z';
const RETURNED_AT = '2026-06-22T10:00:00.000Z';

describe('bankStateOf', () => {
  it.each([
    [100, '2026-06-01T00:00:00.000Z', 'to be sent', TAKEN_AT],
    [100, TAKEN_AT, 'to be sent', TAKEN_AT],
    [100, '2026-06-15T09:59:59.999Z', 'to be sent', TAKEN_AT],
    [100, LEFT_AT, 'pending', LEFT_AT],
    [100, '2026-06-17T09:59:59.999Z', 'pending', LEFT_AT],
    [100, ANSWERED_AT, 'accepted', ANSWERED_AT],
    [100, '2036-06-17T10:00:00.000Z', 'accepted', ANSWERED_AT],
    [300, '2026-06-17T09:59:59.999Z', 'pending', LEFT_AT],
    [300, ANSWERED_AT, 'accepted', ANSWERED_AT],
    [300, '2026-06-22T09:59:59.999Z', 'accepted', ANSWERED_AT],
    [300, RETURNED_AT, 'returned', RETURNED_AT],
    [2500, '2026-06-17T09:59:59.999Z', 'pending', LEFT_AT],
    [2500, ANSWERED_AT, 'rejected', ANSWERED_AT],
    [2500, RETURNED_AT, 'rejected', ANSWERED_AT],
    [-300, RETURNED_AT, 'returned', RETURNED_AT],
  ])('of %d cents at %s is %s', (amountCents, now, stage, since) => {
    expect(bankStateOf(new Date(TAKEN_AT), amountCents, new Date(now))).toEqual({
      stage,
      since: new Date(since),
      ...(stage === 'returned' && { acceptedAt: new Date(ANSWERED_AT) }),
    });
  });
});

describe('fateOf', () => {
  it.each([
    [100, 'accepted'],
    [-100, 'accepted'],
    [300, 'returned'],
    [-300, 'returned'],
    [200, 'rejected'],
    [101, 'rejected'],
    [2500, 'rejected'],
    [0, 'rejected'],
  ])('%d cents are %s', (amountCents, fate) => {
    expect(fateOf(amountCents)).toBe(fate);
  });
});

describe('DEPARTURE_HOURS', () => {
  it('has a row for each day of the week and nothing on Saturdays and Sundays', () => {
    expect(DEPARTURE_HOURS.map((hours) => hours.length)).toEqual([0, 2, 2, 1, 1, 1, 0]);
  });
});

function runsOf(books: Books): string[] {
  return books
    .rows()
    .filter(({ operation }) => operation === 'recurring')
    .map(({ customerCode, at }) => `${customerCode} ${at.slice(0, 10)}`);
}

async function call(
  context: HandlerContext,
  operation: Call['operation'],
  fields: Record<string, string>,
): Promise<void> {
  await HANDLERS[operation]?.answer(makeCall(operation, fields), context);
}

/** Returns empty books, and what lets days pass. */
async function makeWorld() {
  const { context, clock } = await makeContext();
  const pass = (days: number) => {
    clock.advance(days * DAY_MS);
    return runSchedules(context);
  };
  return { context, clock, pass };
}
