import { describe, expect, it } from 'vitest';
import { customerTable } from '../../../src/cli/call/describe-answer.ts';
import type { CustomerRecord } from '../../../src/gateway/client-answers.ts';

const ADA: CustomerRecord = {
  customerCode: 'A1',
  firstName: 'Ada',
  lastName: 'Byron',
  companyName: 'Engine\r\nCo.',
  address: '1 Mill Lane',
  city: 'Troy',
  state: 'NY',
  country: '',
  zipCode: '12180',
  phone: '',
  alternatePhone: '',
  fax: '',
  email: 'ada@example.com',
  comment: '',
  recurring: { amount: '5.00', beginDate: '', endDate: '', scheduleType: 'Weekly', scheduleDate: '7' },
  payment: {
    kind: 'card',
    creditCardCustomerName: 'Ada Byron',
    mop: 'VISA',
    creditCardNum: '4***********2220',
    creditCardExpiry: '12/35',
  },
};

describe('customerTable', () => {
  it('has a line for each customer: who, how they pay, what recurs', () => {
    const bank: CustomerRecord['payment'] = {
      kind: 'bank',
      accountCustomerName: 'Ada',
      accountNum: '**01',
      accountType: 'CHECKING',
    };
    const [titles = '', , card = '', ...others] = customerTable([
      ADA,
      { ...ADA, customerCode: 'A2', payment: bank },
      { ...ADA, customerCode: 'A3', payment: null },
    ]).split('\n');
    expect(titles).toMatch(/^Customer code +Name +Company +E-mail +City +Payment +Number +Expiry +Recurring$/);
    expect(card).toMatch(/^A1 +Ada Byron +Engine Co\. +ada@example\.com +Troy +VISA +4\*+2220 +12\/35 +5\.00 Weekly$/);
    expect(others).toHaveLength(2);
    expect(others[0]).toMatch(/^A2 .*Troy +CHECKING +\*\*01 +5\.00 Weekly$/);
    expect(others[1]).toMatch(/^A3 .*Troy +5\.00 Weekly$/);
  });

  it('says when there is none', () => {
    expect(customerTable([])).toBe('There is no such customer.');
  });
});
