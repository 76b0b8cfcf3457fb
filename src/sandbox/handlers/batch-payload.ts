import { element, textElement } from '../xml/write-xml.ts';

/**
 * The payload of the four batch operations. Its values carry no padding: PHP compares the batch id
 * of the submission with that of the result as it stands.
 */
export function batchPayload(result: string, batchId: string, ...more: readonly string[]): string {
  return element('BATCHPROCESSRESULT', authorization(result), textElement('BATCHID', batchId), ...more);
}

/** A call that failed names no batch. */
export const FAILED_BATCH_PAYLOAD = element('BATCHPROCESSRESULT', authorization(''));

/**
 * Our assumption: no recorded answer shows a wrong login of a batch operation. Code 1 is what the service says to it
 * elsewhere, and the place is the one where clients look.
 */
export const BAD_LOGIN_BATCH_PAYLOAD = batchPayload('REJECT: 1', '');

export const BATCH_TEXTS = {
  running: 'Batch Processing, Please Wait ....',
  done: 'Batch Process Has Been Done',
  /** Our assumption: no source shows the answer to an unknown batch id. */
  unknown: 'Error : Invalid Batch ID.',
} as const;

function authorization(result: string): string {
  return textElement('AUTHORIZATIONRESULT', result);
}
