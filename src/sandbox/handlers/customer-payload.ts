import { element, textElement } from '../xml/write-xml.ts';

/**
 * Returns the payload of operations on one record. Unlike in charges, its values have no padding: PHP compares them as
 * they are.
 */
export function customerPayload(result: string, customerCode: string): string {
  return element(
    'PROCESSRESULT',
    textElement('AUTHORIZATIONRESULT', result),
    textElement('CUSTOMERCODE', customerCode),
  );
}

/** Payloads shared by all operations on customer records. */
export const CUSTOMER_REFUSALS = {
  failurePayload: element('PROCESSRESULT', textElement('AUTHORIZATIONRESULT', '')),
  badLoginPayload: customerPayload('Error : Invalid Username or Password.', ''),
} as const;
