import { BATCH_TEXTS, batchPayload } from '../../../src/sandbox/handlers/batches.ts';
import { paymentPayload } from '../../../src/sandbox/handlers/charge.ts';
import type { StruckCall } from '../../../src/sandbox/faults/fault-kind.ts';
import type { Step } from '../../../src/sandbox/faults/play-steps.ts';
import type { Reply } from '../../../src/sandbox/reply.ts';
import { answerReply } from '../../../src/sandbox/soap/write-envelope.ts';
import { textElement } from '../../../src/sandbox/xml/write-xml.ts';
import type { JournalEntry } from '../../../src/sandbox/books/book-row.ts';

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
