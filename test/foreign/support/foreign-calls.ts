import { expect } from 'vitest';
import { FIRST_REPORTS } from '../../../schemas/sandbox/report-v1.ts';
import { type ReportName, type ReportRow, REPORTS } from '../../../schemas/reports.ts';
import { type WireOperation, wireRow } from '../../../schemas/wire.ts';
import { type ServiceName, wireName } from '../../../schemas/wsdl.ts';
import type { FaultPlan } from '../../../src/sandbox/faults/plan-faults.ts';
import { BANK_NUMBER } from '../../sandbox/support/make-context.ts';
import { LOGIN } from '../../sandbox/support/soap-request.ts';
import { achRow, CARD, cardRow, DATE, lines, MAGIC_CARD } from '../../support/payment-rows.ts';

/** The value of an element; or what a call before it, by its place from 0, was answered in a field, trimmed. */
type Value = string | boolean | { readonly of: number; readonly field: string };

/** A call as the programs of the clients read it, with every element of the operation in the order of the WSDL. */
export type ForeignCall = {
  readonly service: ServiceName;
  /** In the WSDL, and on the wire. */
  readonly operation: string;
  readonly element: string;
  readonly action: string;
  readonly values: Readonly<Record<string, Value>>;
};

/** What the client should report: elements of the answer, or that the call failed. */
type Expected = Readonly<Record<string, unknown>> | 'fault';
type Step = {
  readonly operation: WireOperation;
  readonly values: Readonly<Record<string, Value | { readonly of: WireOperation; readonly field: string }>>;
  readonly expected: Expected;
};

const YEAR = Number(DATE.slice(-4));
/** The clock of the sandbox during these calls, on the day of the rows of the batches. */
export const NOW = `${YEAR}-06-15T10:00:00Z`;
/** Letters and signs that a client must encode. */
const NAME = "O'Byron & Söhne <Ltd>";
const OK = { STATUS: 'Success', ERRORS: '' };
const CARD_OK = { ...OK, AUTHORIZATIONRESULT: 'OK: 678594:' };
const BANK_OK = { ...OK, AUTHORIZATIONRESULT: 'OK: 555555:' };
const CARD_CODE = 'FOREIGN-1';
const BANK_CODE = 'FOREIGN-2';

/** What stands in every element that a step does not name; others are empty. */
const USUAL: Readonly<Record<string, Value>> = {
  ...LOGIN,
  invoiceNum: 'F-1',
  creditCardNum: CARD,
  creditCardExpiry: '12/35',
  ccNum: CARD,
  ccExp: '12/35',
  cvv2: '000',
  mop: 'VISA',
  accountNum: BANK_NUMBER,
  accountType: 'CHECKING',
  firstName: 'Ada',
  lastName: NAME,
  address: '1 Some Road',
  city: 'Troy',
  state: 'NY',
  zipCode: '12180',
  total: '5.00',
  amount: '5.00',
  recurring: false,
  scheduleType: 'Annually',
  updateCreditCardNum: false,
  updateAccountNum: false,
  summaryOnly: false,
  currency: 'USD',
  beginDate: NOW,
  endDate: `${YEAR + 5}-06-15T00:00:00Z`,
  date: NOW,
  fromDate: `${YEAR}-06-15T07:00:00Z`,
  from: `${YEAR}-06-15T07:00:00Z`,
  toDate: `${YEAR}-06-16T06:59:59Z`,
  to: `${YEAR}-06-16T06:59:59Z`,
};

const PAYMENTS: readonly Step[] = [
  step('processCreditCard', {}, CARD_OK),
  step(
    'processCreditCard',
    { invoiceNum: 'F-2', creditCardNum: MAGIC_CARD, total: '2.00' },
    { ...OK, AUTHORIZATIONRESULT: 'REJECT: 15' },
  ),
  step('processACHEFT', {}, BANK_OK),
  step('createCustomerCodeAndProcessCreditCard', { invoiceNum: 'F-3' }, CARD_OK),
  step('createCustomerCodeAndProcessACHEFT', { invoiceNum: 'F-4' }, BANK_OK),
  step(
    'processCreditCardWithCustomerCode',
    { invoiceNum: 'F-5', customerCode: answered('createCustomerCodeAndProcessCreditCard', 'CUSTOMERCODE') },
    CARD_OK,
  ),
  step(
    'processACHEFTWithCustomerCode',
    { invoiceNum: 'F-6', customerCode: answered('createCustomerCodeAndProcessACHEFT', 'CUSTOMERCODE') },
    BANK_OK,
  ),
  step(
    'processCreditCardRefundWithTransactionId',
    { transactionId: answered('processCreditCard', 'TRANSACTIONID'), total: '-5.00' },
    CARD_OK,
  ),
  step(
    'processACHEFTRefundWithTransactionId',
    { transactionId: answered('processACHEFT', 'TRANSACTIONID'), total: '-5.00' },
    BANK_OK,
  ),
];

const BATCHES: readonly Step[] = [
  ...batch('processCreditCardBatch', [cardRow(1), cardRow(2, { card: MAGIC_CARD })], ['OK: 678594:', 'REJECT: 15']),
  ...batch('processACHEFTChargeBatch', [achRow(1), achRow(2)], ['Received', 'Received']),
  ...batch('processACHEFTRefundBatch', [achRow(3, { amount: '-5.00' })], ['Received']),
];

const DONE = { ...OK, AUTHORIZATIONRESULT: 'OK' };
const GONE = "Error : The customer code doesn't exist!";
const RECORDS: readonly Step[] = [
  step('createCreditCardCustomerCode', { customerCode: CARD_CODE }, { ...DONE, CUSTOMERCODE: CARD_CODE }),
  step('createACHEFTCustomerCode', { customerCode: BANK_CODE }, { ...DONE, CUSTOMERCODE: BANK_CODE }),
  step(
    'updateCreditCardCustomerCode',
    { customerCode: CARD_CODE, creditCardNum: '4444444444444448', updateCreditCardNum: true },
    DONE,
  ),
  step('updateACHEFTCustomerCode', { customerCode: BANK_CODE, city: 'Rome' }, DONE),
  step(
    'getCustomerCodeDetail',
    { customerCode: CARD_CODE },
    { ...OK, CSTC: CARD_CODE, LN: NAME, AMT: '5.00', CCN: '4***********4448', EXP: '12/35' },
  ),
  step(
    'getCustomerCodeDetail',
    { customerCode: BANK_CODE },
    { ...OK, CSTC: BANK_CODE, CTY: 'Rome', ACN: expect.stringMatching(/0001$/) },
  ),
  step('getCustomerListByCreationTimeXML', {}, { ...OK, CSTC: expect.any(String), LN: NAME }),
  step(
    'getCustomerListByCreationTimeCSV',
    {},
    { ...OK, FILE: expect.stringMatching(/^Customer Code,[^]*\r\nFOREIGN-1,Ada,[^]*FOREIGN-2,/) },
  ),
  step('deleteCustomerCode', { customerCode: CARD_CODE }, { ...DONE, CUSTOMERCODE: `"${CARD_CODE}" is deleted` }),
  step('getCustomerCodeDetail', { customerCode: CARD_CODE }, { ...OK, AUTHORIZATIONRESULT: GONE }),
];

const FAILURES: readonly Step[] = [
  step('processCreditCard', { password: 'nope' }, { ...OK, AUTHORIZATIONRESULT: 'REJECT: 1' }),
  step(
    'deleteCustomerCode',
    { password: 'nope' },
    { ...OK, AUTHORIZATIONRESULT: expect.stringMatching(/^Error : Invalid Username/) },
  ),
  step('getBatchProcessResultFile', { batchId: '1' }, 'fault'),
  step('deleteCustomerCode', { customerCode: BANK_CODE }, 'fault'),
  step('processCreditCard', { invoiceNum: 'F-7' }, 'fault'),
];

/** Faults that strike the last calls: one of each kind of SOAP fault, and a charge whose answer is lost. */
export const PLANNED: readonly FaultPlan[] = [
  { kind: 'soap-fault-client', operation: 'getBatchProcessResultFile', after: 3 },
  { kind: 'soap-fault-server', operation: 'deleteCustomerCode', after: 2 },
  { kind: 'booked-then-reset', operation: 'processCreditCard', after: 3 },
];

/**
 * Returns a call of everything that an address has, and failures at the end.
 * @param version of the address, 1 to 4; the first has no lists of customers, and other reports
 * @param stack.seesFirst whether it cannot call the second of two reports of one name
 */
export function foreignCalls(version: number, stack: { seesFirst: boolean }): readonly AskedCall[] {
  const steps = [...PAYMENTS, ...BATCHES, ...RECORDS, ...FAILURES].filter(
    ({ operation }) => version > 1 || !operation.startsWith('getCustomerList'),
  );
  const calls = steps.map(({ operation, values, expected }) => {
    const elements = Object.entries(values).map(([name, value]): [string, Value] => [
      name,
      typeof value === 'object' ? { ...value, of: steps.findIndex((step) => step.operation === value.of) } : value,
    ]);
    const call: ForeignCall = {
      service: wireRow(operation).service,
      ...named(wireName(operation), version === 1 ? 'V1' : ''),
      values: fill(wireRow(operation).elements, Object.fromEntries(elements)),
    };
    return { call, expected };
  });
  const atReports = calls.length - FAILURES.length;
  return [
    ...calls.slice(0, atReports),
    ...(version === 1 ? firstReports(stack.seesFirst) : reports()),
    ...calls.slice(atReports),
  ];
}

type AskedCall = { readonly call: ForeignCall; readonly expected: Expected };

function reports(): AskedCall[] {
  return Object.entries(REPORTS).map(([name, row]) => ({
    call: { service: 'ReportLink', ...named(wireName(name as ReportName), ''), values: fill(row.wire, {}) },
    expected: { ...OK, ...contentOf(row) },
  }));
}

function firstReports(seesFirst: boolean): AskedCall[] {
  const seen = seesFirst
    ? FIRST_REPORTS.filter((row) => FIRST_REPORTS.find(({ name }) => name === row.name) === row)
    : FIRST_REPORTS;
  return seen.map(({ name, element, action, wire, report, isBare }) => ({
    call: { service: 'ReportLink', operation: name, element, action, values: fill(wire, {}) },
    expected: { ...(isBare ? {} : OK), ...contentOf(REPORTS[report]) },
  }));
}

function named(operation: string, suffix: string) {
  return { operation, element: operation + suffix, action: operation + suffix };
}

/** The first payment of its kind is in each list of approved ones, and the declined one in its own. */
function contentOf({ method, list, form }: ReportRow): Readonly<Record<string, unknown>> {
  if (list === 'reconciliation') return { FILE: '' };
  const invoice = list === 'approved' ? 'F-1' : method === 'card' && list === 'rejected' ? 'F-2' : undefined;
  if (form === 'XML') return invoice === undefined ? {} : { INV: invoice };
  return { FILE: expect.stringMatching(invoice === undefined ? /^[^\r\n]*Invoice[^\r\n]*\r\n$/ : `\\b${invoice}\\b`) };
}

/** Gives each element a value, in the order of the WSDL. */
function fill(elements: readonly string[], values: Readonly<Record<string, Value>>): Record<string, Value> {
  const names = ['agentCode', 'password', ...elements];
  return Object.fromEntries(names.map((name) => [name, values[name] ?? USUAL[name] ?? '']));
}

function step(operation: WireOperation, values: Step['values'], expected: Expected): Step {
  return { operation, values, expected };
}

function answered(of: WireOperation, field: string) {
  return { of, field };
}

/** Sends rows, and asks for their result. */
function batch(operation: WireOperation, rows: readonly string[], messages: readonly string[]): Step[] {
  const ended = messages.map((message) => `[^\\r\\n]*,${message}\\r\\n`).join('');
  return [
    step(
      operation,
      { batchFile: lines(rows) },
      { ...OK, AUTHORIZATIONRESULT: 'Batch Processing, Please Wait ....', BATCHID: expect.stringMatching(/^\d+$/) },
    ),
    step(
      'getBatchProcessResultFile',
      { batchId: answered(operation, 'BATCHID') },
      {
        ...OK,
        AUTHORIZATIONRESULT: 'Batch Process Has Been Done',
        BATCHPROCESSRESULTFILE: expect.stringMatching(new RegExp(`^${ended}$`)),
      },
    ),
  ];
}

/** The books after the calls: operation, invoice, cents and whether money moves. */
export const BOOKED: readonly (readonly [string, string, number, boolean])[] = [
  ['processCreditCard', 'F-1', 500, true],
  ['processCreditCard', 'F-2', 200, false],
  ['processACHEFT', 'F-1', 500, true],
  ['createCustomerCodeAndProcessCreditCard', 'F-3', 500, true],
  ['createCustomerCodeAndProcessACHEFT', 'F-4', 500, true],
  ['processCreditCardWithCustomerCode', 'F-5', 500, true],
  ['processACHEFTWithCustomerCode', 'F-6', 500, true],
  ['processCreditCardRefundWithTransactionId', 'F-1', -500, true],
  ['processACHEFTRefundWithTransactionId', 'F-1', -500, true],
  ['processCreditCardBatch', 'C-1', 2500, true],
  ['processCreditCardBatch', 'C-2', 2500, false],
  ['processACHEFTChargeBatch', 'A-1', 2500, true],
  ['processACHEFTChargeBatch', 'A-2', 2500, true],
  ['processACHEFTRefundBatch', 'A-3', -500, true],
  ['processCreditCard', 'F-7', 500, true],
];
