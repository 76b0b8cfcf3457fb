import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REJECTIONS } from '../../../schemas/rejections.ts';
import { describeAnswer } from '../../../src/cli/call/describe-answer.ts';
import type { AnyAnswer } from '../../../src/gateway/answers.ts';
import { createGatewayClient, type GatewayClient } from '../../../src/gateway/create-gateway-client.ts';
import { createReportClient } from '../../../src/gateway/reports/create-report-client.ts';
import { numberOf } from '../../../src/sandbox/batch/magic-cards.ts';
import type { BookRow } from '../../../src/sandbox/books/book-row.ts';
import type { FaultPlan } from '../../../src/sandbox/faults/plan-faults.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { achRow, cardRow, CARD, codeRow, lines, upTo } from '../../support/payment-rows.ts';

/** Every code that the service lists, on demand: by number, by amount and by plan, wherever a payment can be made. */

export const ALL_CODES = Object.keys(REJECTIONS).map(Number);
const LOGIN = { agentCode: 'TEST88', password: 'TEST88' };
const PERSON = { firstName: 'Ada', lastName: 'Byron', address: '1 Mill', city: 'Troy', state: 'NY', zipCode: '12180' };
const TODAY = { fromDate: '2026-06-15T00:00:00-07:00', toDate: '2026-06-15T23:59:59-07:00' };
const CHECKING = 'CHECKING';

let sandbox: Sandbox;
let client: GatewayClient;

function payByCard(creditCardNum: string, total = '5.00') {
  const card = { creditCardNum, creditCardExpiry: '12/35', cvv2: '000', mop: 'VISA' } as const;
  return client.processCreditCard({ ...PERSON, ...card, total });
}

function payByAccount(accountNum: string, total = '5.00') {
  return client.processACHEFT({ accountNum, accountType: CHECKING, total });
}

function createAndPay(ccNum: string, total = '5.00') {
  return client.createCustomerCodeAndProcessCreditCard({ ...PERSON, ccNum, ccExp: '12/35', total }, { mop: 'VISA' });
}

/** Stores a card under a code and charges it. */
async function payByCode(creditCardNum: string) {
  const customerCode = codeOf(await storeCard(creditCardNum));
  return client.processCreditCardWithCustomerCode({ customerCode, total: '5.00' }, { mop: 'VISA' });
}

async function payByBankCode(accountNum: string) {
  const customerCode = codeOf(await client.createACHEFTCustomerCode({ ...PERSON, accountNum, accountType: CHECKING }));
  return client.processACHEFTWithCustomerCode({ customerCode, total: '5.00' });
}

function storeCard(creditCardNum: string, schedule: object = {}) {
  const contact = { companyName: '', phone: '', fax: '', alternatePhone: '', email: '', comment: '' };
  const times = { recurring: false, amount: '', scheduleType: '', scheduleDate: '', ...TIMES } as const;
  const card = { creditCardCustomerName: 'Ada', creditCardNum, creditCardExpiry: '12/35', mop: 'VISA' } as const;
  return client.createCreditCardCustomerCode({
    customerIPAddress: '',
    ...PERSON,
    ...contact,
    ...times,
    ...card,
    ...schedule,
  });
}

const TIMES = { beginDate: '2026-06-15T00:00:00Z', endDate: '2026-06-30T00:00:00Z' };

function codeOf(answer: { kind: string; result?: { customerCode?: string | null } }): string {
  expect(answer.kind).toBe('approved');
  return answer.result?.customerCode ?? '';
}

/** Refunds a charge that was approved. */
async function refundCard(creditCardNum: string, charged: string, total: string) {
  const transactionId = idOf(await payByCard(creditCardNum, charged));
  return client.processCreditCardRefundWithTransactionId({ transactionId, total });
}

async function refundAccount(accountNum: string, charged: string, total: string) {
  const transactionId = idOf(await payByAccount(accountNum, charged));
  return client.processACHEFTRefundWithTransactionId({ transactionId, total });
}

function idOf(answer: { kind: string; result?: { transactionId?: string | null } }): string {
  expect(['approved', 'accepted']).toContain(answer.kind);
  return answer.result?.transactionId ?? '';
}

type Way = readonly [what: string, pay: (code: number) => Promise<AnyAnswer>];

const amountOf = (code: number) => `${1000 + code}.00`;
const BY_NUMBER: readonly Way[] = [
  ['a card', (code) => payByCard(numberOf('card', code))],
  ['a card of any amount', (code) => payByCard(numberOf('card', code), '2500.00')],
  ['a card and a new customer code', (code) => createAndPay(numberOf('card', code))],
  ['a stored card', (code) => payByCode(numberOf('card', code))],
  ['the amount of a card', (code) => payByCard(numberOf('card', 0), amountOf(code))],
  ['the amount refunded of a card', (code) => refundCard(numberOf('card', 0), '2000.00', `-${amountOf(code)}`)],
  ['a bank account', (code) => payByAccount(numberOf('bank', code))],
  ['a stored bank account', (code) => payByBankCode(numberOf('bank', code))],
  ['the amount of a bank account', (code) => payByAccount(numberOf('bank', 0), amountOf(code))],
  ['the amount refunded of a bank account', (code) => refundAccount(numberOf('bank', 0), '5.00', `-${amountOf(code)}`)],
];

/** Plans one rejection for the operation that the way ends with, and calls it with a number that is approved. */
function planned(plan: Omit<FaultPlan, 'kind'>, pay: () => Promise<AnyAnswer>): Way[1] {
  return (code) => {
    sandbox.faults.plan({ kind: 'reject', code, ...plan });
    return pay();
  };
}

const ACCOUNT = '02100002100000000000000001';
const BY_PLAN: readonly Way[] = [
  ['a card', planned({}, () => payByCard(CARD))],
  ['a new customer code', planned({}, () => createAndPay(CARD))],
  ['a stored card', planned({ operation: 'processCreditCardWithCustomerCode' }, () => payByCode(CARD))],
  ['a bank account', planned({}, () => payByAccount(ACCOUNT))],
  [
    'a refund of a card',
    planned({ operation: 'processCreditCardRefundWithTransactionId' }, () => refundCard(CARD, '5.00', '-1.00')),
  ],
  [
    'a refund of a bank account',
    planned({ operation: 'processACHEFTRefundWithTransactionId' }, () => refundAccount(ACCOUNT, '5.00', '-1.00')),
  ],
];

/** Checks what the client says about a code: its text and advice, or that the outcome is unknown. */
function expectCode(answer: AnyAnswer, code: number): void {
  const { message, advice } = REJECTIONS[code]!;
  if (advice === 'unknown') {
    expect(answer).toMatchObject({ kind: 'unknown', why: expect.stringContaining(message) });
    return;
  }
  expect(answer).toMatchObject({ kind: 'declined', code, message, advice });
  expect(describeAnswer('processCreditCard', answer)).toContain(message);
}

function expectRow(row: BookRow | undefined, code: number): void {
  expect(row).toMatchObject({ outcome: 'declined', charged: false, message: `REJECT: ${code}` });
}

/** @param codes those to try */
export function testCodes(codes: readonly number[]): void {
  describe('a listed code', { timeout: 300_000 }, () => {
    beforeAll(async () => {
      sandbox = await startSandbox({ now: '2026-06-15T17:00:00Z', batchDelayMs: 0 });
      client = createGatewayClient({ server: 'NA', currency: 'USD', ...LOGIN, baseUrl: sandbox.url });
    });
    afterAll(() => sandbox.close());

    it.each(BY_NUMBER)('comes by the number of %s', async (_what, pay) => {
      for (const code of codes) {
        expectCode(await pay(code), code);
        expectRow(sandbox.books().at(-1), code);
      }
    });

    it.each(BY_PLAN)('comes by plan for %s, once', async (_what, pay) => {
      for (const code of codes) {
        expectCode(await pay(code), code);
        expectRow(sandbox.books().at(-1), code);
      }
      await sandbox.faults.clear();
    });

    it.each([
      [
        'card numbers',
        'processCreditCardBatch',
        (code: number, n: number) => cardRow(n, { card: numberOf('card', code) }),
      ],
      [
        'card amounts',
        'processCreditCardBatch',
        (code: number, n: number) => cardRow(n, { card: numberOf('card', 0), amount: amountOf(code) }),
      ],
      [
        'bank accounts',
        'processACHEFTChargeBatch',
        (code: number, n: number) => achRow(n, { account: numberOf('bank', code) }),
      ],
      [
        'refunded accounts',
        'processACHEFTRefundBatch',
        (code: number, n: number) => achRow(n, { account: numberOf('bank', code), amount: '-25.00' }),
      ],
      [
        'refunded amounts',
        'processACHEFTRefundBatch',
        (code: number, n: number) => achRow(n, { account: numberOf('bank', 0), amount: `-${amountOf(code)}` }),
      ],
    ] as const)('comes in the rows of a batch by %s', async (_what, operation, rowOf) => {
      expect(await runBatch(operation, codes.map(rowOf))).toEqual(codes.map((code) => `REJECT: ${code}`));
    });

    it('comes in the rows of a batch by stored numbers', async () => {
      const stored: string[] = [];
      for (const code of codes) stored.push(codeOf(await storeCard(numberOf('card', code))));
      const rows = stored.map((code, index) => codeRow(index, { code }));
      expect(await runBatch('processCreditCardBatch', rows)).toEqual(codes.map((code) => `REJECT: ${code}`));
    });

    it('comes in the rows of a batch by plan, each row a call', async () => {
      for (const code of codes) sandbox.faults.plan({ kind: 'reject', code, operation: 'processACHEFTChargeBatch' });
      const rows = upTo(codes.length + 1).map((n) => achRow(n, { invoice: `P-${n}` }));
      const messages = [...codes.map((code) => `REJECT: ${code}`), 'Received'];
      expect(await runBatch('processACHEFTChargeBatch', rows)).toEqual(messages);
      expect(sandbox.faults.list().every(({ seen, fired }) => seen === 1 && fired === 1)).toBe(true);
      await sandbox.faults.clear();
    });

    it('comes in recurring payments, by number and by plan', async () => {
      const own = await startSandbox({ now: '2026-06-14T10:00:00Z' });
      const used = client;
      client = createGatewayClient({ server: 'NA', currency: 'USD', ...LOGIN, baseUrl: own.url });
      const schedule = { recurring: true, amount: '5.00', scheduleType: 'Weekly', scheduleDate: '2' };
      for (const code of codes) await storeCard(numberOf('card', code), schedule);
      for (const _code of codes) await storeCard(CARD, schedule);
      own.clock.advance(24 * 3600 * 1000);
      for (const _code of codes) own.faults.plan({ kind: 'reject', code: 1, operation: 'processCreditCard' });
      await own.settle();
      const byNumber = own.books().filter(({ lastFour }) => lastFour !== CARD.slice(-4));
      expect(byNumber.map(({ message }) => message).sort()).toEqual(codes.map((code) => `REJECT: ${code}`).sort());
      expect(own.books().filter(({ charged }) => charged)).toHaveLength(codes.length);
      await own.faults.clear();
      for (const code of codes) own.faults.plan({ kind: 'reject', code, operation: 'recurring' });
      const before = own.books().length;
      own.clock.advance(7 * 24 * 3600 * 1000);
      await own.settle();
      const later = own.books().slice(before);
      expect(later.slice(0, codes.length).map(({ message }) => message)).toEqual(
        codes.map((code) => `REJECT: ${code}`),
      );
      expect(later).toHaveLength(2 * codes.length);
      client = used;
      await own.close();
    });

    it('stands in the reports as REJ', async () => {
      const reports = createReportClient({ server: 'NA', ...LOGIN, baseUrl: sandbox.url });
      for (const read of [reports.getCreditCardRejectDateRangeCSV, reports.getACHEFTRejectDateRangeCSV]) {
        const answer = await read(TODAY);
        const results = answer.kind === 'read' ? answer.report.entries.map(({ result }) => result) : [answer.kind];
        expect([...new Set(results)].sort()).toEqual(codes.map((code) => `REJ:${code}`).sort());
      }
    });
  });
}

type BatchOperation = 'processCreditCardBatch' | 'processACHEFTChargeBatch' | 'processACHEFTRefundBatch';

/** Submits rows and returns their messages. */
async function runBatch(operation: BatchOperation, rows: readonly string[]): Promise<string[]> {
  const taken = await client[operation]({ batchFile: Buffer.from(lines(rows)) });
  const batchId = taken.kind === 'accepted' ? taken.result.batchId : taken.kind;
  const done = await client.getBatchProcessResultFile({ batchId });
  const file = done.kind === 'approved' ? String(done.result.file) : done.kind;
  expect(sandbox.books().filter((row) => row.batchId === batchId)).toHaveLength(rows.length);
  return file
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(',').at(-1) ?? '');
}
