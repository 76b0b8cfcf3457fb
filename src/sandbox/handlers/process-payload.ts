import { element, textElement } from '../xml/write-xml.ts';

/** Result of a single charge or refund. `message` is `OK: ...` or `REJECT: n`; missing values are empty. */
export type ProcessResult = {
  readonly message: string;
  readonly customerCode: string;
  readonly transactionId: string;
};

/**
 * Returns the payload of a card charge or refund. Its values are padded: mostly a leading space and a trailing line
 * feed. Declines have settlement dates too.
 * @param at settlement is on the day after; days are in UTC
 */
export function cardPayload(result: ProcessResult, at: Date): string {
  return payloadOf(
    result,
    textElement('SETTLEMENTBATCHDATE', ` ${monthFirst(at)}\n`),
    textElement('SETTLEMENTDATE', ` ${monthFirst(new Date(at.getTime() + DAY_MS))}\n`),
  );
}

/** Returns the payload of a bank charge or refund, whose settlement date is not known. */
export function bankPayload(result: ProcessResult): string {
  return payloadOf(result);
}

export const FAILED_PROCESS_PAYLOAD = element('PROCESSRESULT', textElement('AUTHORIZATIONRESULT', ''));

/** Assumption, except for the code: no recorded answer shows a wrong login. Nothing is booked, so nothing settles. */
export const BAD_LOGIN_PROCESS_PAYLOAD = payloadOf({ message: 'REJECT: 1', customerCode: '', transactionId: '' });

const DAY_MS = 24 * 60 * 60 * 1000;

function payloadOf({ message, customerCode, transactionId }: ProcessResult, ...dates: readonly string[]): string {
  return element(
    'PROCESSRESULT',
    textElement('AUTHORIZATIONRESULT', ` ${message}\n`),
    textElement('CUSTOMERCODE', customerCode),
    ...dates,
    textElement('TRANSACTIONID', transactionId === '' ? '' : `${transactionId}\n`),
  );
}

function monthFirst(day: Date): string {
  const [year, month, date] = day.toISOString().slice(0, 10).split('-');
  return `${month}/${date}/${year}`;
}
