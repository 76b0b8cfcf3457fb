import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Books, openBooks } from '../../../src/sandbox/books/open-books.ts';
import type { Call, HandlerContext } from '../../../src/sandbox/handlers/handler.ts';
import { HANDLERS } from '../../../src/sandbox/handlers/handlers.ts';
import { runSchedules, tryToRunSchedules } from '../../../src/sandbox/time/run-schedules.ts';
import { callSandbox, CUSTOMER_PATH, valueOf } from '../support/process-call.ts';
import { makeCall, makeContext } from '../support/make-context.ts';
import { useSandboxes } from '../support/sandbox-world.ts';

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
