import { describe, expect, it } from 'vitest';
import { newCustomer } from '../../../src/sandbox/customers/new-customer.ts';

describe('newCustomer', () => {
  it('takes what is there, leaves the rest empty, and plans no payments', () => {
    const known = {
      code: 'A1',
      kind: 'bank',
      createdAt: '',
      holder: 'Ada',
      number: '1',
      method: '',
      expiry: '',
    } as const;
    const customer = newCustomer({ ...known, textOf: (field) => (field === 'city' ? 'Troy' : undefined) });
    expect(customer).toMatchObject(known);
    expect(customer.contact).toMatchObject({ city: 'Troy', firstName: '', item6: '' });
    expect(customer.schedule).toEqual({
      recurring: false,
      amount: '',
      beginDate: '0001-01-01T00:00:00',
      endDate: '0001-01-01T00:00:00',
      scheduleType: '',
      scheduleDate: '',
    });
  });
});
