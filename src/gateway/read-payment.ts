import { rejectionOf } from '../../schemas/rejections.ts';
import type { AnyAnswer, PaymentResult } from './client-answers.ts';
import type { HiddenSecrets } from './hide-secrets.ts';
import { isElements, type ServiceAnswer, textOf } from './soap/read-answer.ts';

/** Fields of PROCESSRESULT, trimmed; empty when absent. */
export type ProcessResult = {
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
  const text = textOf(fields.AUTHORIZATIONRESULT);
  const customerCode = textOf(fields.CUSTOMERCODE);
  const transactionId = textOf(fields.TRANSACTIONID);
  const settlementBatchDate = textOf(fields.SETTLEMENTBATCHDATE);
  const settlementDate = textOf(fields.SETTLEMENTDATE);
  const isWhole = [text, customerCode, transactionId, settlementBatchDate, settlementDate].every(
    (field) => field !== undefined,
  );
  if (!isWhole) return undefined;
  return {
    text: text ?? '',
    customerCode: customerCode ?? '',
    transactionId: transactionId ?? '',
    settlementBatchDate: settlementBatchDate ?? '',
    settlementDate: settlementDate ?? '',
  };
}

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
