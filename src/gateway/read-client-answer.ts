import {
  type BatchOperationName,
  FOLDER_OPERATIONS,
  type OperationName,
  OPERATIONS,
} from '../../schemas/operations.ts';
import type { WireValues } from '../../schemas/parameters.ts';
import { rejectionOf } from '../../schemas/rejections.ts';
import { RESTRICTION_MESSAGES } from '../../schemas/restrictions.ts';
import { classifyResult } from './classify-result.ts';
import { classifySubmit } from './classify-submit.ts';
import type { AnyAnswer, PaymentResult } from './answers.ts';
import type { HiddenSecrets } from './hide-secrets.ts';
import { readCsv, readCustomers } from './read-customers.ts';
import { isElements, readAnswer, type ServiceAnswer, textOf } from './soap/read-answer.ts';
import type { PostOutcome } from './transport/post.ts';

type AnsweredCall = {
  readonly operation: OperationName;
  readonly values: WireValues;
  readonly secrets: HiddenSecrets;
};

/**
 * Classifies a call whose first byte was written. Without proof the outcome is `unknown` for a payment or change, and
 * `failed` for a read, which did no harm.
 */
export function readClientAnswer(call: AnsweredCall, outcome: PostOutcome): AnyAnswer {
  try {
    return classifyAnswer(call, outcome);
  } catch {
    // The request has left. An error would look like a call that was never made, and the caller might repeat it.
    return doubt(call, 'the answer could not be read');
  }
}

function classifyAnswer(call: AnsweredCall, outcome: PostOutcome): AnyAnswer {
  const { operation, secrets } = call;
  if (isBatch(operation)) return fromSubmit(operation, outcome, secrets);
  if (operation === 'getBatchProcessResultFile') return fromResult(call, outcome);
  if (outcome.kind === 'broken') return doubt(call, outcome.why);
  if (outcome.httpStatus !== 200) return doubt(call, `the service answered HTTP ${outcome.httpStatus}`);
  const reading = readAnswer(operation, outcome.body);
  if (reading.kind === 'unreadable') return doubt(call, reading.why);
  return readData(call, reading.answer) ?? readProcess(call, reading.answer);
}

function isBatch(operation: OperationName): operation is BatchOperationName {
  return Object.values(FOLDER_OPERATIONS).some((row) => row.operation === operation);
}

function fromSubmit(operation: BatchOperationName, outcome: PostOutcome, secrets: HiddenSecrets): AnyAnswer {
  const answer = classifySubmit(operation, outcome, secrets);
  switch (answer.kind) {
    case 'submitted':
      if (secrets.isEcho(answer.batchId)) return { kind: 'unknown', why: 'the answer repeats a secret of the request' };
      return { kind: 'accepted', result: { batchId: answer.batchId } };
    case 'refused':
      if (answer.code === null) return { kind: 'failed', errors: answer.text };
      return { kind: 'declined', code: answer.code, ...rejectionOf(answer.code), transactionId: null };
    case 'unknown':
      return { kind: 'unknown', why: answer.why };
    case 'restricted':
    case 'withheld':
    case 'not_sent':
      // These answers precede the first byte; a classification never returns them.
      return { kind: 'unknown', why: 'the answer is not one that we know' };
  }
}

function fromResult(call: AnsweredCall, outcome: PostOutcome): AnyAnswer {
  const batchId = call.values.batchId ?? '';
  const answer = classifyResult(batchId, outcome, call.secrets);
  switch (answer.kind) {
    case 'done':
      return { kind: 'approved', result: { batchId, file: answer.file } };
    case 'running':
      return { kind: 'accepted', result: { batchId, file: null } };
    case 'not_known':
      return declineOf(answer.text, call.secrets) ?? { kind: 'failed', errors: answer.text };
    case 'failed':
      return { kind: 'failed', errors: answer.why };
  }
}

/** Reads a rejection code, which also reports a wrong login. Whatever it means for a payment, nothing moved. */
function declineOf(text: string, secrets: HiddenSecrets): AnyAnswer | undefined {
  const rejection = findRejection({ text, transactionId: '' }, secrets);
  return rejection?.kind === 'declined' ? rejection : undefined;
}

/** Returns the data of the three customer reads; undefined when the answer has none and may name an error instead. */
function readData(call: AnsweredCall, answer: ServiceAnswer): AnyAnswer | undefined {
  if (answer.status !== 'Success' || answer.errors !== '') return undefined;
  if (call.operation === 'getCustomerListByCreationTimeCSV') {
    const csv = readCsv(answer);
    return csv === undefined ? undefined : { kind: 'approved', result: call.secrets.data({ csv }) };
  }
  if (OPERATIONS[call.operation].effect !== 'read') return undefined;
  const found = readCustomers(answer);
  if (!found) return undefined;
  const customers = call.secrets.data(found);
  if (call.operation === 'getCustomerListByCreationTimeXML') return { kind: 'approved', result: { customers } };
  const [customer, ...others] = customers;
  const isAsked = customer?.customerCode === call.values.customerCode?.trim();
  if (!customer || others.length > 0 || !isAsked) return doubt(call, 'the answer is not about the customer code asked');
  return { kind: 'approved', result: { customer } };
}

function readProcess(call: AnsweredCall, answer: ServiceAnswer): AnyAnswer {
  const fields = readProcessResult(answer);
  if (!fields) return doubt(call, 'the answer contradicts itself');
  const failure = findFailure(call, answer, fields);
  if (failure) return failure;
  const isClean = answer.status === 'Success' && answer.errors === '';
  const known = isClean ? (findRejection(fields, call.secrets) ?? findSuccess(call, fields)) : undefined;
  if (known) return known;
  const texts = [answer.errors, fields.text].filter((text) => text !== '').join(' / ');
  return doubt(call, `the answer is not one that we know: ${call.secrets.text(texts) || '(no text)'}`);
}

/** Texts that prove that nothing was done. Add one only with proof. */
const FAILURES: readonly string[] = [
  'Error : Invalid Username or Password.',
  'Bad request.',
  RESTRICTION_MESSAGES.server,
  RESTRICTION_MESSAGES.currency,
];

/** How CustomerLink begins a refusal. */
const CUSTOMER_FAILURE = /^(?:0Error: ?|0Can not find |Error : )/;

/** The service itself does not know the outcome of the call. */
const NO_INFORMATION = /No information is returned/i;

/** Finds a proven failure. An answer with a transaction id or an unlisted second text proves nothing. */
function findFailure(call: AnsweredCall, answer: ServiceAnswer, fields: ProcessResult): AnyAnswer | undefined {
  const texts = [answer.errors, fields.text].filter((text) => text !== '');
  const [text] = texts;
  if (text === undefined || fields.transactionId !== '') return undefined;
  if (answer.errors !== '' && answer.status !== 'Failure') return undefined;
  const isCustomerLink = OPERATIONS[call.operation].service === 'CustomerLink';
  const isProof = (each: string) =>
    FAILURES.includes(each) || (isCustomerLink && CUSTOMER_FAILURE.test(each) && !NO_INFORMATION.test(each));
  if (!texts.every(isProof)) return undefined;
  // A listed text is our own constant; scrubbing could only remove words that match a payer's name by chance.
  return { kind: 'failed', errors: FAILURES.includes(text) ? text : call.secrets.text(text) };
}

function findSuccess(call: AnsweredCall, fields: ProcessResult): AnyAnswer | undefined {
  const { effect } = OPERATIONS[call.operation];
  if (effect === 'charge') return findPayment(fields, call.operation.includes('ACHEFT'), call.secrets);
  if (effect === 'read' || fields.text !== 'OK') return undefined;
  const customerCode = codeOf(call, fields);
  return customerCode === '' || call.secrets.isEcho(customerCode)
    ? { kind: 'unknown', why: 'the answer says OK and names no customer code' }
    : { kind: 'approved', result: { customerCode } };
}

/** The answer to a deletion names the code in a sentence: `"A12181132" is deleted`. */
function codeOf(call: AnsweredCall, fields: ProcessResult): string {
  const asked = call.values.customerCode?.trim() ?? '';
  if (call.operation === 'deleteCustomerCode' || fields.customerCode === '') return asked;
  return fields.customerCode;
}

function doubt(call: AnsweredCall, why: string): AnyAnswer {
  return OPERATIONS[call.operation].effect === 'read' ? { kind: 'failed', errors: why } : { kind: 'unknown', why };
}

/** Fields of PROCESSRESULT, trimmed; empty when absent. */
type ProcessResult = {
  readonly text: string;
  readonly customerCode: string;
  readonly transactionId: string;
  readonly settlementBatchDate: string;
  readonly settlementDate: string;
};

/** Returns undefined when an element is repeated or another stands beside it, because the answer contradicts itself. */
export function readProcessResult({ payload }: ServiceAnswer): ProcessResult | undefined {
  const names = Object.keys(payload);
  if (names.some((name) => name !== 'PROCESSRESULT')) return undefined;
  // Failures may come without a payload or with a blank one.
  const fields = isElements(payload.PROCESSRESULT) ? payload.PROCESSRESULT : {};
  if (Array.isArray(payload.PROCESSRESULT)) return undefined;
  const result = Object.entries(RESULT_ELEMENTS).map(([field, name]) => [field, textOf(fields[name])] as const);
  return result.every(([, text]) => text !== undefined) ? (Object.fromEntries(result) as ProcessResult) : undefined;
}

const RESULT_ELEMENTS: Readonly<Record<keyof ProcessResult, string>> = {
  text: 'AUTHORIZATIONRESULT',
  customerCode: 'CUSTOMERCODE',
  transactionId: 'TRANSACTIONID',
  settlementBatchDate: 'SETTLEMENTBATCHDATE',
  settlementDate: 'SETTLEMENTDATE',
};

/** `OK`, `OK: 678594` or `OK: 678594:X`. A code needs a digit, because `OK:Reject` in reports is no approval. */
const APPROVED = /^OK(?::\s*((?=[A-Z]*\d)[A-Z0-9]{1,20})?\s*(?::\s*([A-Za-z])?)?)?$/;

/** Returns the outcome of a charge or refund that the service accepted; undefined otherwise. */
export function findPayment(
  fields: ProcessResult,
  isBankPayment: boolean,
  secrets: HiddenSecrets,
): AnyAnswer | undefined {
  const match = APPROVED.exec(fields.text);
  if (!match) return undefined;
  const [, authorization = '', addressCheck = ''] = match;
  const { customerCode, transactionId, settlementBatchDate, settlementDate } = fields;
  const shown = { customerCode, transactionId, settlementBatchDate, settlementDate, authorization, addressCheck };
  if (Object.values(shown).some(secrets.isEcho)) {
    return { kind: 'unknown', why: 'the answer says OK and repeats a secret of the request' };
  }
  const result = Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, value === '' ? null : value]));
  return { kind: isBankPayment ? 'accepted' : 'approved', result: result as PaymentResult };
}

/** Reads a rejection code. Unlisted codes, and some listed ones, do not say whether money moved. */
export function findRejection(
  fields: Pick<ProcessResult, 'text' | 'transactionId'>,
  secrets: HiddenSecrets,
): AnyAnswer | undefined {
  const digits = /^REJECT: ?(\d{1,4})$/.exec(fields.text)?.[1];
  if (digits === undefined) return undefined;
  const code = Number(digits);
  const { message, advice } = rejectionOf(code);
  if (advice === 'unknown') return { kind: 'unknown', why: `rejection code ${code}: ${message}` };
  const { transactionId } = fields;
  const isShown = transactionId !== '' && !secrets.isEcho(transactionId);
  return { kind: 'declined', code, message, advice, transactionId: isShown ? transactionId : null };
}
