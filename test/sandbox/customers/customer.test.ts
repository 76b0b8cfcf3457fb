import { describe, expect, it } from 'vitest';
import { customersCsv, customerXml } from '../../../src/sandbox/customers/write-customers.ts';
import {
  checkCard,
  checkExpiry,
  CONTACT_FIELDS,
  type Customer,
  mergeCustomer,
  newCustomer,
  type PaymentKind,
  wantsNewNumber,
} from '../../../src/sandbox/customers/customer.ts';
import { type OperationName, OPERATIONS } from '../../../schemas/operations.ts';
import { makeCall, sampleCustomer } from '../support/make-context.ts';
import { newBookSecret } from '../../../src/sandbox/books/book-secret.ts';
import { keepCustomers } from '../../../src/sandbox/books/customer-book.ts';

const NOW = new Date('2017-06-15T10:00:00Z');
const NUMBER = '4222222222222220';

describe('checkCard', () => {
  it.each(['4111', '422222222222222', '9999999999999999', '4222 2222 2222 2220', '0'.repeat(20), ''])(
    'refuses the number %j before it looks at the expiry',
    (number) => {
      expect(checkCard(number, '01/10', NOW)).toBe('0Error:Invalid credit card number');
    },
  );

  it('looks at the expiry of a good number', () => {
    expect(checkCard(NUMBER, '01/10', NOW)).toBe('0Error:Invalid expiry date');
    expect(checkCard(NUMBER, '12/20', NOW)).toBeUndefined();
  });
});

describe('checkExpiry', () => {
  it.each(['06/17', '07/17', '12/17', '01/99'])('%s is still good', (expiry) => {
    expect(checkExpiry(expiry, NOW)).toBeUndefined();
  });

  it.each(['05/17', '12/16', '01/10', '13/20', '00/20', '1220', '1/20', '12/2020', '12-20', ''])(
    '%j is not',
    (expiry) => {
      expect(checkExpiry(expiry, NOW)).toBe('0Error:Invalid expiry date');
    },
  );

  it('ends with its month', () => {
    expect(checkExpiry('12/17', new Date('2017-12-31T23:59:59Z'))).toBeUndefined();
    expect(checkExpiry('12/17', new Date('2018-01-01T00:00:00Z'))).toBeDefined();
  });
});

const HEADER =
  'Customer Code,First Name,Last Name,Company,Address,City,State,Country,Zip Code,Phone,Mobile,Fax,Email,Comment,' +
  'Recurring,Amount,Begin Date,End Date,Schedule Type,Schedule Date,Method of Payment,Account,Expiry,' +
  'Title,Item 1,Item 2,Item 3,Item 4,Item 5,Item 6\r\n';

describe('customersCsv', () => {
  it('is a header alone when there are none', () => {
    expect(customersCsv([])).toBe(HEADER);
  });

  it('quotes what needs it and masks the number', () => {
    const customer = sampleCustomer({
      textOf: (field) => (field === 'companyName' ? 'Engine "Co.", Ltd' : undefined),
    });
    expect(customersCsv([customer])).toBe(
      `${HEADER}A10000001,,,"Engine ""Co."", Ltd",,,,,,,,,,,false,,0001-01-01T00:00:00,0001-01-01T00:00:00,,,VISA,` +
        '4***********2220,12/20,,,,,,,\r\n',
    );
  });
});

describe('customerXml', () => {
  it('nests a card as clients read it, and shows no more of a number than its mask', () => {
    const card = sampleCustomer({ code: 'TM&1', holder: 'Ada' });
    const day = '0001-01-01T00:00:00';
    expect(customerXml(card)).toBe(
      '<CST><CSTC>TM&amp;1</CSTC><FN /><LN /><CO /><ADD /><CTY /><ST /><CNT /><ZC /><PH /><MB /><FX /><EM /><CM />' +
        `<RCR><AMT /><BD>${day}</BD><ED>${day}</ED><SCHTYP /><SCHD /><ACT>false</ACT></RCR><AC1 type="CC"><CC><CSTN>Ada</CSTN>` +
        '<MP>VISA</MP><CCN>4***********2220</CCN><EXP>12/20</EXP></CC></AC1><AC2 /></CST>',
    );
    const bank = customerXml({ ...card, kind: 'bank', method: 'SAVING' });
    expect(bank).toContain(
      '<AC1 type="ACH"><ACH><CSTN>Ada</CSTN><ACN>4***********2220</ACN><ACTYP>SAVING</ACTYP></ACH></AC1>',
    );
  });

  it('shows title and items after the rest, as far as there are any', () => {
    const texts: Record<string, string> = { title: 'Dr.', item2: 'two', item6: 'six' };
    const customer = sampleCustomer({ code: 'C', textOf: (field) => texts[field] });
    expect(customerXml(customer)).toContain('<AC2 /><TTL>Dr.</TTL><IT2>two</IT2><IT6>six</IT6></CST>');
  });

  it.each([
    ['Ada', 'Byron', '<FLN>Ada Byron</FLN><FN>Ada</FN><LN>Byron</LN>'],
    ['', 'Byron', '<FLN>Byron</FLN><FN /><LN>Byron</LN>'],
    ['', '', '<FLN /><FN /><LN />'],
  ])('shows the full name of "%s" "%s" when it is wanted, and only then', (firstName, lastName, xml) => {
    const names: Record<string, string> = { firstName, lastName };
    const customer = sampleCustomer({ code: 'C', textOf: (field) => names[field] });
    expect(customerXml(customer, true)).toContain(`<CSTC>C</CSTC>${xml}<CO />`);
    expect(customerXml(customer)).not.toContain('FLN');
  });
});

describe('CONTACT_FIELDS', () => {
  it.each(['createCreditCardCustomerCode', 'createACHEFTCustomerCode', 'updateACHEFTCustomerCode'] as const)(
    'are all elements of %s',
    (operation) => {
      const wire: readonly string[] = OPERATIONS[operation].wire;
      expect(CONTACT_FIELDS.filter((field) => !wire.includes(field))).toEqual([]);
    },
  );
});

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
  const expiry = kind === 'card' ? '12/20' : '';
  return sampleCustomer({ kind, expiry, textOf: (field) => `the ${field}` });
}

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

const AT = '2026-06-15T10:00:00.000Z';

describe('keepCustomers', () => {
  it('gives back what was stored, to its own account only, the oldest first', () => {
    const book = keepCustomers(newBookSecret(), 10_000_001);
    for (const code of ['B', 'A']) book.keep(book.seal('TEST88', customerOf(code), AT));
    book.keep(book.seal('TEST88', { ...customerOf('B'), expiry: '01/31' }, AT));
    expect(book.find('TEST88', 'B')).toEqual({ ...customerOf('B'), expiry: '01/31' });
    expect(book.find('OTHER', 'B')).toBeUndefined();
    expect(book.find('TEST88', 'b')).toBeUndefined();
    expect(book.paymentOf('TEST88', 'B')).toBe('card');
    expect(book.paymentOf('OTHER', 'B')).toBeUndefined();
    expect(book.list('TEST88').map(({ code }) => code)).toEqual(['B', 'A']);
    expect(book.list('OTHER')).toEqual([]);
  });

  it('forgets a record, but never gives its code again', () => {
    const book = keepCustomers(newBookSecret(), 10_000_001);
    book.keep(book.seal('TEST88', customerOf(book.nextCode('TEST88')), AT));
    book.forget(book.keyOf('TEST88', 'A10000001'));
    expect(book.find('TEST88', 'A10000001')).toBeUndefined();
    expect(book.nextCode('TEST88')).toBe('A10000002');
  });

  it.each([
    ['A10000005', 'A10000006'],
    ['A99999999', 'A10000001'],
    ['TM1001', 'A10000001'],
    ['A1', 'A10000001'],
  ])('after the code %s the next is %s', (code, next) => {
    const book = keepCustomers(newBookSecret(), 10_000_001);
    book.keep(book.seal('TEST88', customerOf(code), AT));
    expect(book.nextCode('TEST88')).toBe(next);
  });

  it('writes down nothing but the last four of the number, and neither code nor name', () => {
    const book = keepCustomers(newBookSecret(), 10_000_001);
    const line = JSON.stringify(book.seal('TEST88', customerOf('TM1001'), AT));
    expect(line).toContain('"lastFour":"2220"');
    for (const secret of [NUMBER, 'TM1001', 'Byron']) expect(line).not.toContain(secret);
  });

  it('notes since when a record pays again and again, and nothing of one that does not', () => {
    const book = keepCustomers(newBookSecret(), 10_000_001);
    const record = customerOf('A');
    const recurring = { ...record, schedule: { ...record.schedule, recurring: true } };
    expect(book.seal('TEST88', recurring, AT).scheduledFrom).toBe(AT);
    expect(book.seal('TEST88', record, AT)).not.toHaveProperty('scheduledFrom');
  });

  it('opens a record under its own key only', () => {
    const book = keepCustomers(newBookSecret(), 10_000_001);
    const { key } = book.seal('TEST88', customerOf('A'), AT);
    book.keep({ ...book.seal('TEST88', customerOf('B'), AT), key });
    expect(() => book.find('TEST88', 'A')).toThrow('customer');
  });
});

function customerOf(code: string) {
  return sampleCustomer({ code, createdAt: AT, textOf: () => 'Byron' });
}
