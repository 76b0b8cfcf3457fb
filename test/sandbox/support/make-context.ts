import { expect } from 'vitest';
import { handClock } from '../../../src/kernel/clock.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { openBooks } from '../../../src/sandbox/books/open-books.ts';
import { type Customer, newCustomer } from '../../../src/sandbox/customers/customer.ts';
import type { Account, Call, HandlerContext } from '../../../src/sandbox/handlers/handler.ts';
import { readParameters } from '../../../src/sandbox/soap/read-parameters.ts';
import type { Sandbox } from '../../../src/sandbox/start-sandbox.ts';
import { type Fields, goldenAnswer, LOGIN, PATH, post, soapRequest, type Style } from './soap-request.ts';
import { BATCH_TEXTS, batchPayload } from '../../../src/sandbox/handlers/batches.ts';
import { paymentPayload } from '../../../src/sandbox/handlers/charge.ts';
import type { StruckCall } from '../../../src/sandbox/faults/fault-kind.ts';
import type { Step } from '../../../src/sandbox/faults/play-steps.ts';
import type { Reply } from '../../../src/sandbox/reply.ts';
import { answerReply } from '../../../src/sandbox/soap/write-envelope.ts';
import { textElement } from '../../../src/sandbox/xml/write-xml.ts';
import type { JournalEntry } from '../../../src/sandbox/books/book-row.ts';

export const ACCOUNT: Account = { agentCode: 'TEST88', password: 'TEST88' };

/** Makes a context with empty books in memory and a clock that stands still. */
export async function makeContext(settings: Partial<HandlerContext> = {}) {
  const clock = handClock('2026-06-15T10:00:00Z');
  const context: HandlerContext = {
    accounts: [ACCOUNT],
    books: await openBooks(undefined),
    clock,
    log: silentLog(),
    batchDelayMs: 1000,
    maxRows: 10_000,
    cardDuplicates: true,
    refundsMayExceed: false,
    refundsNeedSettlement: false,
    cutsLongValues: false,
    strict: true,
    allow: [],
    ...settings,
  };
  return { context, clock };
}

/** Returns a call that has passed all checks. */
export function makeCall(operation: Call['operation'], fields: Record<string, string>, account = ACCOUNT): Call {
  const parameters = readParameters(operation, new Map(Object.entries(fields)));
  if ('fault' in parameters) throw new Error(parameters.fault);
  return { operation, account, parameters, isFirstVersion: false };
}

/** Returns a card record as a charge creates it. */
export function sampleCustomer(change: Partial<Parameters<typeof newCustomer>[0]> = {}): Customer {
  return newCustomer({
    code: 'A10000001',
    kind: 'card',
    createdAt: '2017-06-15T10:00:00.000Z',
    holder: 'Ada Byron',
    number: '4222222222222220',
    method: 'VISA',
    expiry: '12/20',
    textOf: () => undefined,
    ...change,
  });
}

/** The day of sandboxes whose answers are compared byte by byte. */
export const NOW = '2017-06-15T10:11:12Z';
export const BANK_NUMBER = '02100002100000000000000001';

export const CUSTOMER_PATH = '/NetGate/CustomerLinkv2.asmx';

export type CallArguments = [
  element: string,
  fields: Fields,
  options?: { style?: Style; path?: string; login?: Fields },
];

/** Returns the whole answer to a call over HTTP. */
export async function callSandbox(
  { url }: Pick<Sandbox, 'url'>,
  ...[element, fields, options = {}]: CallArguments
): Promise<string> {
  const request = soapRequest(element, { ...(options.login ?? LOGIN), ...fields }, options.style);
  return (await post(url + (options.path ?? PATH), request)).text;
}

/** Returns the answer to a call that succeeded. */
export function goldenSuccess(element: string, payload: string, style?: Style): string {
  return goldenAnswer(element, `<STATUS>Success</STATUS><ERRORS />${payload}`, style);
}

/** Returns the answer to a call that lacks something. */
export function goldenNullFailure(element: string): string {
  const error = 'Object reference not set to an instance of an object.';
  const payload = '<PROCESSRESULT><AUTHORIZATIONRESULT /></PROCESSRESULT>';
  return goldenAnswer(element, `<STATUS>Failure</STATUS><ERRORS>${error}</ERRORS>${payload}`);
}

/** Returns the text of one element of an answer, unchanged. */
export function valueOf(answer: string, name: string): string {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(answer)?.[1] ?? '';
}

/** Returns the answer of an operation on one customer record. */
export function goldenRecord(element: string, result: string, code: string, style?: Style): string {
  const customerCode = code === '' ? '<CUSTOMERCODE />' : `<CUSTOMERCODE>${code}</CUSTOMERCODE>`;
  const payload = `<PROCESSRESULT><AUTHORIZATIONRESULT>${result}</AUTHORIZATIONRESULT>${customerCode}</PROCESSRESULT>`;
  return goldenSuccess(element, payload, style);
}

/** Dates of a card payment on that day. */
const DATES = '<SETTLEMENTBATCHDATE> 06/15/2017\n</SETTLEMENTBATCHDATE><SETTLEMENTDATE> 06/16/2017\n</SETTLEMENTDATE>';

/** Returns the payload of a card payment; an empty id or code stands for none. */
export function cardResult(message: string, id: string, code = ''): string {
  return processResult(message, code, DATES, id);
}

export function bankResult(message: string, id: string, code = ''): string {
  return processResult(message, code, '', id);
}

function processResult(message: string, code: string, dates: string, id: string): string {
  const customerCode = code === '' ? '<CUSTOMERCODE />' : `<CUSTOMERCODE>${code}</CUSTOMERCODE>`;
  const transactionId = id === '' ? '<TRANSACTIONID />' : `<TRANSACTIONID>${id}\n</TRANSACTIONID>`;
  const text = `<AUTHORIZATIONRESULT> ${message}\n</AUTHORIZATIONRESULT>`;
  return `<PROCESSRESULT>${text}${customerCode}${dates}${transactionId}</PROCESSRESULT>`;
}

/** Makes a call and returns the text that decides, without its padding. */
export async function messageOf(...call: Parameters<typeof callSandbox>): Promise<string> {
  const text = valueOf(await callSandbox(...call), 'AUTHORIZATIONRESULT');
  expect(text).toMatch(/^ .*\n$/);
  return text.trim();
}

const AT = new Date('2026-06-15T10:00:00Z');

/** An approved charge. */
export const CHARGE: Reply = answerReply('1.2', 'ProcessCreditCard', {
  payload: paymentPayload('card', { message: 'OK: 678594:', customerCode: '', transactionId: 'A6000001' }, AT),
});

export const CALL: StruckCall = {
  path: '/NetGate/ProcessLinkv2.asmx',
  version: '1.2',
  element: 'ProcessCreditCard',
  operation: 'processCreditCard',
  earlierBatchId: undefined,
  delayMs: 7,
};

/** Returns a finished batch with these lines as its result file. */
export function doneBatch(file: string): Reply {
  const base64 = Buffer.from(file, 'latin1').toString('base64');
  const payload = batchPayload(BATCH_TEXTS.done, '1000001', textElement('BATCHPROCESSRESULTFILE', base64));
  return answerReply('1.2', 'GetBatchProcessResultFile', { payload });
}

/** Returns everything that the steps write, and how they end. */
export function outcomeOf(steps: readonly Step[]): { text: string; bytes: Buffer; end: Step['do'] | undefined } {
  const written = steps.flatMap((step) => ('bytes' in step ? [Buffer.from(step.bytes)] : []));
  const bytes = Buffer.concat(written);
  return { text: bytes.toString('latin1'), bytes, end: steps.at(-1)?.do };
}

/** Returns what follows the head of an answer. */
export function bodyOf(steps: readonly Step[]): string {
  const { bytes } = outcomeOf(steps);
  return bytes.subarray(bytes.indexOf('\r\n\r\n') + 4).toString('utf8');
}

/** Returns an approved card payment at 10:11:12, Vancouver summer time. */
export function journalEntry(change: Partial<JournalEntry> = {}): JournalEntry {
  return {
    at: '2017-06-15T17:11:12.345Z',
    account: 'TEST88',
    method: 'card',
    list: 'approved',
    transactionId: 'A9000001',
    invoice: 'INV-1',
    customerCode: '',
    firstName: 'Ada',
    lastName: 'Byron',
    payment: 'VISA',
    shownNumber: '4***********2220',
    expiry: '12/20',
    amountCents: 500,
    result: 'OK:678594:',
    comment: 'Gift',
    ...change,
  };
}

/** Returns an accepted bank payment. */
export function bankEntry(change: Partial<JournalEntry> = {}): JournalEntry {
  return journalEntry({
    method: 'bank',
    payment: 'CHECKING',
    shownNumber: '0*********************0001',
    expiry: '',
    result: 'OK:555555:',
    ...change,
  });
}
