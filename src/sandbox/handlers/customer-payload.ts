import { element, textElement } from '../xml/write-xml.ts';

/**
 * The payload of the operations on one record. Unlike those of charges its values carry no padding:
 * PHP compares them as they stand.
 */
export function customerPayload(result: string, customerCode: string): string {
  return element(
    'PROCESSRESULT',
    textElement('AUTHORIZATIONRESULT', result),
    textElement('CUSTOMERCODE', customerCode),
  );
}

/** What is the same in every operation on customer records. */
export const CUSTOMER_REFUSALS = {
  failurePayload: element('PROCESSRESULT', textElement('AUTHORIZATIONRESULT', '')),
  badLoginPayload: customerPayload('Error : Invalid Username or Password.', ''),
} as const;
