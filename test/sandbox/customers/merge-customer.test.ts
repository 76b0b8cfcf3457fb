import { describe, expect, it } from 'vitest';
import type { OperationName } from '../../../schemas/operations.ts';
import type { Customer, PaymentKind } from '../../../src/sandbox/customers/customer.ts';
import { newCustomer } from '../../../src/sandbox/customers/new-customer.ts';
import { mergeCustomer, wantsNewNumber } from '../../../src/sandbox/customers/merge-customer.ts';
import { makeCall } from '../support/make-context.ts';

describe('mergeCustomer', () => {
  it('keeps what is absent', () => {
    expect(merge('card', {})).toEqual(recordOf('card'));
    expect(merge('bank', {}, false)).toEqual(recordOf('bank'));
  });

  it('empties what is empty, except for the payment', () => {
    const empty = { firstName: '', amount: '', scheduleType: '', scheduleDate: '' };
    const payment = { creditCardCustomerName: '', creditCardNum: '', creditCardExpiry: '', mop: '' };
    const { contact, schedule, ...rest } = merge('card', { ...empty, ...payment });
    expect(contact).toEqual({ ...recordOf('card').contact, firstName: '' });
    expect(schedule).toMatchObject({ amount: '', scheduleType: '', scheduleDate: '' });
    expect(recordOf('card')).toMatchObject(rest);
  });

  it.each([
    [true, '5555555555554444'],
    [false, '4222222222222220'],
  ])('replaces the rest of the payment, and the number: %s', (replacesNumber, number) => {
    const fields = {
      creditCardCustomerName: 'A',
      creditCardNum: '5555555555554444',
      creditCardExpiry: '01/31',
      mop: 'MC',
    };
    const merged = merge('card', fields, replacesNumber);
    expect(merged).toMatchObject({ holder: 'A', number, method: 'MC', expiry: '01/31' });
  });

  it('takes a bank account by its own elements', () => {
    const fields = { accountCustomerName: 'B', accountNum: '999999999', accountType: 'SAVING' };
    expect(merge('bank', fields)).toMatchObject({ holder: 'B', number: '999999999', method: 'SAVING', expiry: '' });
  });

  it('switches the schedule off and keeps what it was', () => {
    const on = merge('card', { recurring: 'true', scheduleType: 'Weekly', beginDate: '2017-06-16T00:00:00+01:00' });
    expect(on.schedule).toMatchObject({ recurring: true, scheduleType: 'Weekly', beginDate: '2017-06-15T23:00:00' });
    const { parameters } = makeCall('updateCreditCardCustomerCode', { recurring: '0' });
    expect(mergeCustomer(on, parameters, true).schedule).toEqual({ ...on.schedule, recurring: false });
  });
});

describe('wantsNewNumber', () => {
  it.each([
    ['card', { updateCreditCardNum: 'true' }, true],
    ['card', { updateCreditCardNum: '0' }, false],
    ['card', {}, false],
    ['bank', { updateAccountNum: '1' }, true],
    ['bank', { updateAccountNum: 'false' }, false],
  ] as const)('%s with %j: %s', (kind, fields, isWanted) => {
    expect(wantsNewNumber(kind, makeCall(OPERATION[kind], fields).parameters)).toBe(isWanted);
  });
});

const OPERATION = {
  card: 'updateCreditCardCustomerCode',
  bank: 'updateACHEFTCustomerCode',
} as const satisfies Record<PaymentKind, OperationName>;

function merge(kind: PaymentKind, fields: Record<string, string>, replacesNumber = true): Customer {
  return mergeCustomer(recordOf(kind), makeCall(OPERATION[kind], fields).parameters, replacesNumber);
}

function recordOf(kind: PaymentKind): Customer {
  return newCustomer({
    code: 'A10000001',
    kind,
    createdAt: '2017-06-15T10:00:00.000Z',
    holder: 'Ada Byron',
    number: '4222222222222220',
    method: 'VISA',
    expiry: kind === 'card' ? '12/20' : '',
    textOf: (field) => `the ${field}`,
  });
}
