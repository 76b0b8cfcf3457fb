import { describe, expect, it } from 'vitest';
import { customersCsv } from '../../../src/sandbox/customers/customer-csv.ts';
import { newCustomer } from '../../../src/sandbox/customers/new-customer.ts';

const HEADER =
  'Customer Code,First Name,Last Name,Company,Address,City,State,Country,Zip Code,Phone,Mobile,Fax,Email,Comment,' +
  'Recurring,Amount,Begin Date,End Date,Schedule Type,Schedule Date,Method of Payment,Account,Expiry\r\n';

describe('customersCsv', () => {
  it('is a header alone when there are none', () => {
    expect(customersCsv([])).toBe(HEADER);
  });

  it('quotes what needs it and masks the number', () => {
    const customer = newCustomer({
      code: 'A10000001',
      kind: 'card',
      createdAt: '2017-06-15T10:00:00.000Z',
      holder: 'Ada Byron',
      number: '4222222222222220',
      method: 'VISA',
      expiry: '12/20',
      textOf: (field) => (field === 'companyName' ? 'Engine "Co.", Ltd' : undefined),
    });
    expect(customersCsv([customer])).toBe(
      `${HEADER}A10000001,,,"Engine ""Co."", Ltd",,,,,,,,,,,false,,0001-01-01T00:00:00,0001-01-01T00:00:00,,,VISA,` +
        '4***********2220,12/20\r\n',
    );
  });
});
