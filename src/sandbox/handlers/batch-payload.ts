import { element, textElement } from '../xml/write-xml.ts';

/**
 * Returns the payload of the four batch operations. Its values have no padding: PHP compares the batch ids of
 * submission and result as they are.
 */
export function batchPayload(result: string, batchId: string, ...more: readonly string[]): string {
  return element('BATCHPROCESSRESULT', authorization(result), textElement('BATCHID', batchId), ...more);
}

/** Payload of a failed call, which names no batch. */
export const FAILED_BATCH_PAYLOAD = element('BATCHPROCESSRESULT', authorization(''));

/**
 * Assumption: no recorded answer shows a wrong login of a batch operation. The service answers code 1 elsewhere, and
 * clients look in this place.
 */
export const BAD_LOGIN_BATCH_PAYLOAD = batchPayload('REJECT: 1', '');

export const BATCH_TEXTS = {
  running: 'Batch Processing, Please Wait ....',
  done: 'Batch Process Has Been Done',
  /** Assumption: no source shows the answer to an unknown batch id. */
  unknown: 'Error : Invalid Batch ID.',
} as const;

function authorization(result: string): string {
  return textElement('AUTHORIZATIONRESULT', result);
}
