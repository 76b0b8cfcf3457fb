import { describe, expect, it } from 'vitest';
import { newCustomer } from '../../../src/sandbox/customers/new-customer.ts';
import { makeCall } from '../support/make-context.ts';
import { payerOfCall } from '../../../src/sandbox/handlers/charge.ts';

const CARD = '4222222222222220';
const FIELDS = { firstName: ' Ada', lastName: 'Byron', mop: 'VISA', creditCardExpiry: '12/30', comment: 'Gift' };

describe('payerOfCall', () => {
  it('reads who pays with a card, and masks it', () => {
    const { parameters } = makeCall('processCreditCard', FIELDS);
    const paid = { kind: 'card', number: CARD, expiry: 'creditCardExpiry', record: undefined } as const;
    expect(payerOfCall(parameters, paid)).toEqual({
      firstName: 'Ada',
      lastName: 'Byron',
      payment: 'VISA',
      shownNumber: '4***********2220',
      expiry: '12/30',
      comment: 'Gift',
    });
  });

  it('leaves empty what a bank charge does not say', () => {
    const { parameters } = makeCall('processACHEFT', { accountType: 'CHECKING' });
    const paid = { kind: 'bank', number: '12345678', expiry: 'creditCardExpiry', record: undefined } as const;
    expect(payerOfCall(parameters, paid)).toEqual({
      firstName: '',
      lastName: '',
      payment: 'CHECKING',
      shownNumber: '1***5678',
      expiry: '',
      comment: '',
    });
  });

  it('takes the payer of a stored record from there, but never its comment', () => {
    const { parameters } = makeCall('processCreditCardWithCustomerCode', { customerCode: 'A1', comment: 'Gift' });
    const record = newCustomer({
      code: 'A1',
      kind: 'card',
      createdAt: '2026-06-15T10:00:00.000Z',
      holder: 'Ada Byron',
      number: CARD,
      method: 'MC',
      expiry: '01/31',
      textOf: (field) => `the ${field}`,
    });
    expect(payerOfCall(parameters, { kind: 'card', number: CARD, expiry: 'creditCardExpiry', record })).toEqual({
      firstName: 'the firstName',
      lastName: 'the lastName',
      payment: 'MC',
      shownNumber: '4***********2220',
      expiry: '01/31',
      comment: 'Gift',
    });
  });
});
