import { describe, expect, it } from 'vitest';
import { CUSTOMER_REFUSALS, customerPayload } from '../../../src/sandbox/handlers/customer-payload.ts';

describe('customerPayload', () => {
  it('carries no padding and escapes what a client made up', () => {
    expect(customerPayload('OK', '<1>')).toBe(
      '<PROCESSRESULT><AUTHORIZATIONRESULT>OK</AUTHORIZATIONRESULT><CUSTOMERCODE>&lt;1&gt;</CUSTOMERCODE></PROCESSRESULT>',
    );
  });
});

describe('CUSTOMER_REFUSALS', () => {
  it('name no code', () => {
    expect(CUSTOMER_REFUSALS.failurePayload).toBe('<PROCESSRESULT><AUTHORIZATIONRESULT /></PROCESSRESULT>');
    expect(CUSTOMER_REFUSALS.badLoginPayload).toBe(
      '<PROCESSRESULT><AUTHORIZATIONRESULT>Error : Invalid Username or Password.</AUTHORIZATIONRESULT>' +
        '<CUSTOMERCODE /></PROCESSRESULT>',
    );
  });
});
