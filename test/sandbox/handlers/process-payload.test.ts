import { describe, expect, it } from 'vitest';
import {
  BAD_LOGIN_PROCESS_PAYLOAD,
  bankPayload,
  cardPayload,
  FAILED_PROCESS_PAYLOAD,
} from '../../../src/sandbox/handlers/process-payload.ts';

describe('cardPayload', () => {
  it('pads its values and settles on the day after', () => {
    const result = { message: 'OK: 678594:', customerCode: '', transactionId: 'A9000001' };
    expect(cardPayload(result, new Date('2017-06-15T10:11:12Z'))).toBe(
      '<PROCESSRESULT><AUTHORIZATIONRESULT> OK: 678594:\n</AUTHORIZATIONRESULT><CUSTOMERCODE />' +
        '<SETTLEMENTBATCHDATE> 06/15/2017\n</SETTLEMENTBATCHDATE><SETTLEMENTDATE> 06/16/2017\n</SETTLEMENTDATE>' +
        '<TRANSACTIONID>A9000001\n</TRANSACTIONID></PROCESSRESULT>',
    );
  });

  it('settles beyond the end of a year', () => {
    const payload = cardPayload({ message: '', customerCode: '', transactionId: '' }, new Date('2017-12-31T23:59:59Z'));
    expect(payload).toContain('> 12/31/2017\n</SETTLEMENTBATCHDATE><SETTLEMENTDATE> 01/01/2018\n<');
  });
});

describe('bankPayload', () => {
  it('has no dates, an unpadded code, and an empty element where there is no id', () => {
    expect(bankPayload({ message: 'REJECT: 40', customerCode: 'A&B', transactionId: '' })).toBe(
      '<PROCESSRESULT><AUTHORIZATIONRESULT> REJECT: 40\n</AUTHORIZATIONRESULT><CUSTOMERCODE>A&amp;B</CUSTOMERCODE>' +
        '<TRANSACTIONID /></PROCESSRESULT>',
    );
  });
});

describe('the payloads without a transaction', () => {
  it('name none', () => {
    expect(FAILED_PROCESS_PAYLOAD).toBe('<PROCESSRESULT><AUTHORIZATIONRESULT /></PROCESSRESULT>');
    expect(BAD_LOGIN_PROCESS_PAYLOAD).toBe(
      '<PROCESSRESULT><AUTHORIZATIONRESULT> REJECT: 1\n</AUTHORIZATIONRESULT><CUSTOMERCODE /><TRANSACTIONID /></PROCESSRESULT>',
    );
  });
});
