import { describe, expect, it } from 'vitest';
import { type ColumnName, COLUMNS } from '../../../schemas/layouts.ts';
import {
  accountNumberRule,
  accountTypeRule,
  amountRule,
  cardNumberRule,
  dateRule,
  expiryRule,
  limitOf,
  mopRule,
  ruleOfColumn,
} from '../../../src/csv/rules/rule-of-column.ts';
import { ACCOUNT, apply, rulesWith, VISA } from '../support.ts';
import { FIELDS } from '../../../schemas/fields.ts';

const SOUND: Record<ColumnName, string> = {
  date: '06/15/2026',
  invoice: 'INV-1',
  firstName: 'Ada',
  lastName: 'Byron',
  fullName: 'Ada Byron',
  street: '1 Some Road',
  city: 'Troy',
  state: 'NY',
  zipCode: '12180',
  amount: '5.00',
  mop: 'VISA',
  cardNumber: VISA,
  expiry: '1228',
  accountType: 'CHECKING',
  accountNumber: ACCOUNT,
  customerCode: 'A10000001',
  comment: 'Gift',
};
const columns = Object.keys(COLUMNS) as ColumnName[];

describe('ruleOfColumn', () => {
  it.each(columns)('takes a sound cell of %s as it is', (column) => {
    expect(apply(ruleOfColumn(column, rulesWith()), SOUND[column])).toBe(SOUND[column]);
  });

  it.each(columns)('takes an empty cell of %s only where it is not required', (column) => {
    expect(apply(ruleOfColumn(column, rulesWith()), '')).toBe(COLUMNS[column].required ? 'FIELD_REQUIRED' : '');
  });

  it.each([
    ['invoice', 40],
    ['firstName', 100],
    ['fullName', 30],
    ['street', 100],
    ['city', 40],
    ['zipCode', 40],
    ['customerCode', 40],
    ['comment', 100],
  ] as const)('%s takes %i characters and no more', (column, limit) => {
    const rule = ruleOfColumn(column, rulesWith());
    expect(apply(rule, 'x'.repeat(limit))).toBe('x'.repeat(limit));
    expect(apply(rule, 'x'.repeat(limit + 1))).toBe('FIELD_TOO_LONG');
  });

  it('follows the folder on commas in free text, and never changes other text', () => {
    expect(apply(ruleOfColumn('city', rulesWith()), 'a,b')).toBe('TEXT_REPLACED a b');
    expect(apply(ruleOfColumn('city', rulesWith({ folder: { textCommas: 'reject' } })), 'a,b')).toBe('FIELD_COMMA');
    expect(apply(ruleOfColumn('state', rulesWith()), 'a,b')).toBe('FIELD_COMMA');
  });

  it('follows the operation on signs and the folder on routing numbers', () => {
    expect(apply(ruleOfColumn('amount', rulesWith({ operation: 'ach-refund' })), '-5')).toBe('-5.00');
    expect(apply(ruleOfColumn('amount', rulesWith()), '-5')).toBe('WRONG_SIGN -5.00');
    expect(apply(ruleOfColumn('accountNumber', rulesWith({ folder: { routingCheck: true } })), '12345678')).toBe(
      'ACCOUNT_ROUTING',
    );
  });
});

describe('accountNumberRule', () => {
  it.each([
    ['02100002100000000000000001', '02100002100000000000000001'],
    ['1234', '1234'],
    ['123', 'ACCOUNT_FORMAT'],
    ['021000021000000000000000012', 'ACCOUNT_FORMAT'],
    ['0210-0002', 'ACCOUNT_FORMAT'],
    ['0210 0002', 'ACCOUNT_FORMAT'],
    ['2.1E+24', 'SPREADSHEET_DAMAGE'],
    ['0030000200000000040000001', 'SPREADSHEET_DAMAGE'],
    ['="0210"', 'SPREADSHEET_DAMAGE'],
    ['11100002512345600000', 'SPREADSHEET_DAMAGE'],
    ['02100002112345600000000000', 'SPREADSHEET_DAMAGE'],
    ['1110000251234560000', '1110000251234560000'],
    ['11100002512345610000', '11100002512345610000'],
  ])('takes %j for %j', (cell, expected) => {
    expect(apply(accountNumberRule(false), cell)).toBe(expected);
  });

  it.each([
    ['02100002100000000000000001', '02100002100000000000000001'],
    ['11100002512345678', '11100002512345678'],
    ['02100003100000000000000001', 'ACCOUNT_ROUTING'],
    ['12345678', 'ACCOUNT_ROUTING'],
    ['021000021', 'ACCOUNT_ROUTING'],
    ['0210000219', '0210000219'],
    ['2100002100000000040000001', 'SPREADSHEET_DAMAGE'],
    ['1110000251234567890123456', '1110000251234567890123456'],
    ['3100002100000000040000001', 'ACCOUNT_ROUTING'],
    ['0000000001234', 'ACCOUNT_ROUTING'],
  ])('takes %j for %j when routing numbers are checked', (cell, expected) => {
    expect(apply(accountNumberRule(true), cell)).toBe(expected);
  });
});

describe('accountTypeRule', () => {
  it.each([
    ['CHECKING', 'CHECKING'],
    ['Checking', 'CHECKING'],
    ['SAVING', 'SAVING'],
    ['savings', 'SAVING'],
    ['CHEQUING', 'ACCOUNT_TYPE'],
    ['CHECKINGS', 'ACCOUNT_TYPE'],
    ['C', 'ACCOUNT_TYPE'],
    ['#N/A', 'SPREADSHEET_DAMAGE'],
  ])('takes %j for %j', (cell, expected) => {
    expect(apply(accountTypeRule, cell)).toBe(expected);
  });
});

describe('amountRule', () => {
  it.each([
    ['25', '25.00'],
    ['25.5', '25.50'],
    ['25.00', '25.00'],
    ['007.10', '7.10'],
    ['0.01', '0.01'],
    ['-5.00', 'WRONG_SIGN -5.00'],
    ['0', 'AMOUNT_ZERO'],
    ['-0.00', 'AMOUNT_ZERO'],
    ['(5.00)', 'AMOUNT_FORMAT'],
    ['$5', 'AMOUNT_FORMAT'],
    ['5 $', 'AMOUNT_FORMAT'],
    ['1,000.00', 'AMOUNT_FORMAT'],
    ['5e2', 'AMOUNT_FORMAT'],
    ['5,00', 'AMOUNT_FORMAT'],
    ['+5.00', 'AMOUNT_FORMAT'],
    ['.50', 'AMOUNT_FORMAT'],
    ['5.', 'AMOUNT_FORMAT'],
    ['5.001', 'AMOUNT_FORMAT'],
    ['５.00', 'AMOUNT_FORMAT'],
    ['NaN', 'AMOUNT_FORMAT'],
    ['0x10', 'AMOUNT_FORMAT'],
    ['4222222222222220', 'AMOUNT_LIMIT'],
    ['5.0E+02', 'SPREADSHEET_DAMAGE'],
    ['####', 'SPREADSHEET_DAMAGE'],
  ])('takes %j for %j among charges', (cell, expected) => {
    expect(apply(amountRule(1), cell)).toBe(expected);
  });

  it.each([
    ['-5', '-5.00'],
    ['5.00', 'WRONG_SIGN 5.00'],
    ['(5.00)', 'AMOUNT_FORMAT'],
  ])('takes %j for %j among refunds', (cell, expected) => {
    expect(apply(amountRule(-1), cell)).toBe(expected);
  });
});

describe('cardNumberRule', () => {
  it.each([
    ['4222222222222220', '4222222222222220'],
    ['4111111111111111', '4111111111111111'],
    ['4222222222222221', 'CARD_CHECK_DIGIT'],
    ['41111111111', 'CARD_FORMAT'],
    ['41111111111111111111', 'CARD_FORMAT'],
    ['4222 2222 2222 2220', 'CARD_FORMAT'],
    ['4222-2222-2222-2220', 'CARD_FORMAT'],
    ['4222222222222220x', 'CARD_FORMAT'],
    ['４２２２２２２２２２２２２２２０', 'CARD_FORMAT'],
    ['4.22222E+15', 'SPREADSHEET_DAMAGE'],
    ['="4222222222222220"', 'SPREADSHEET_DAMAGE'],
    ['#####', 'SPREADSHEET_DAMAGE'],
    ['4111111111111110', 'SPREADSHEET_DAMAGE'],
    ['411111111111111', 'CARD_CHECK_DIGIT'],
    ['6304123456789010000', 'SPREADSHEET_DAMAGE'],
  ])('takes %j for %j', (cell, expected) => {
    expect(apply(cardNumberRule, cell)).toBe(expected);
  });
});

describe('dateRule', () => {
  it.each([
    ['06/15/2026', '06/15/2026'],
    ['6/5/2026', '06/05/2026'],
    ['06/14/2025', '06/14/2025'],
    ['06/16/2027', '06/16/2027'],
    ['06/13/2025', 'DATE_FAR 06/13/2025'],
    ['06/17/2027', 'DATE_FAR 06/17/2027'],
    ['02/29/2028', 'DATE_FAR 02/29/2028'],
    ['02/29/2000', 'DATE_FAR 02/29/2000'],
    ['02/29/2026', 'DATE_FORMAT'],
    ['02/29/1900', 'DATE_FORMAT'],
    ['04/31/2026', 'DATE_FORMAT'],
    ['15/06/2026', 'DATE_FORMAT'],
    ['00/10/2026', 'DATE_FORMAT'],
    ['06/00/2026', 'DATE_FORMAT'],
    ['06/15/26', 'DATE_FORMAT'],
    ['06/15/0026', 'DATE_FORMAT'],
    ['2026-06-15', 'DATE_FORMAT'],
    ['06/15/2026 10:00', 'DATE_FORMAT'],
    ['15-Jun', 'SPREADSHEET_DAMAGE'],
    ['########', 'SPREADSHEET_DAMAGE'],
  ])('takes %j for %j', (cell, expected) => {
    expect(apply(dateRule('2026-06-15'), cell)).toBe(expected);
  });
});

describe('expiryRule', () => {
  it.each([
    ['1228', '1228'],
    ['12/28', '1228'],
    ['0626', '0626'],
    ['06/26', '0626'],
    ['0526', 'EXPIRY_PAST'],
    ['12/25', 'EXPIRY_PAST'],
    ['0199', '0199'],
    ['1326', 'EXPIRY_FORMAT'],
    ['0026', 'EXPIRY_FORMAT'],
    ['2809', 'EXPIRY_FORMAT'],
    ['9/28', 'EXPIRY_FORMAT'],
    ['09/2028', 'EXPIRY_FORMAT'],
    ['09-28', 'EXPIRY_FORMAT'],
    ['28', 'EXPIRY_FORMAT'],
    ['928', 'SPREADSHEET_DAMAGE'],
    ['Sep-28', 'SPREADSHEET_DAMAGE'],
    ['28-Sep', 'SPREADSHEET_DAMAGE'],
    ['#REF!', 'SPREADSHEET_DAMAGE'],
  ])('takes %j for %j on 15 June 2026', (cell, expected) => {
    expect(apply(expiryRule('2026-06-15'), cell)).toBe(expected);
  });

  it('lets a card expire with the last day of its month', () => {
    expect(apply(expiryRule('2026-06-30'), '0626')).toBe('0626');
    expect(apply(expiryRule('2026-07-01'), '0626')).toBe('EXPIRY_PAST');
    expect(apply(expiryRule('2026-12-31'), '1226')).toBe('1226');
    expect(apply(expiryRule('2027-01-01'), '1226')).toBe('EXPIRY_PAST');
  });
});

it('limitOf gives the limit of the field that a column carries, and none where there is no field', () => {
  expect(limitOf('customerCode')).toMatchObject({ maxLength: FIELDS.customerCode.maxLength });
  expect(limitOf('street')).toEqual({
    maxLength: FIELDS.address.maxLength,
    whose: '(our assumption; the setting serviceLimits.lengths.address changes it)',
  });
  expect(limitOf('street', { lengths: { address: 250 } })).toEqual({
    maxLength: 250,
    whose: '(set by serviceLimits.lengths.address)',
  });
  expect(limitOf('date')).toEqual({ maxLength: Infinity });
});

describe('mopRule', () => {
  it.each([
    ['NA', 'USD', 'VISA', 'VISA'],
    ['NA', 'USD', 'visa', 'VISA'],
    ['NA', 'USD', 'Dsc', 'DSC'],
    ['NA', 'CAD', 'DSC', 'MOP_RESTRICTED'],
    ['NA', 'GBP', 'VISA', 'MOP_RESTRICTED'],
    ['NA', 'USD', 'MAESTR', 'MOP_UNKNOWN'],
    ['NA', 'USD', 'VISA DEBIT', 'VISA'],
    ['NA', 'CAD', 'Visa Debit', 'VISA'],
    ['NA', 'USD', 'MC DEBIT', 'MC'],
    ['NA', 'CAD', 'MC DEBIT', 'MOP_RESTRICTED'],
    ['NA', 'USD', 'AMX DEBIT', 'MOP_UNKNOWN'],
    ['UK', 'EUR', 'VISA DEBIT', 'VISA'],
    ['UK', 'GBP', 'MC DEBIT', 'MOP_UNKNOWN'],
    ['NA', 'USD', 'AMEX', 'MOP_UNKNOWN'],
    ['NA', 'USD', '#REF!', 'SPREADSHEET_DAMAGE'],
    ['UK', 'GBP', 'MAESTR', 'MAESTR'],
    ['UK', 'GBP', 'Maestro', 'MAESTR'],
    ['UK', 'EUR', 'MAESTRO', 'MOP_RESTRICTED'],
    ['UK', 'GBP', 'DSC', 'MOP_UNKNOWN'],
  ] as const)('on %s in %s takes %j for %j', (server, currency, cell, expected) => {
    expect(apply(mopRule({ server, currency }), cell)).toBe(expected);
  });

  it.each([
    ['NA', 'CAD', 'DSC', 'MOP_RESTRICTED', 'DSC in CAD; this account takes VISA, MC, AMX'],
    ['NA', 'CAD', 'MC DEBIT', 'MOP_RESTRICTED', 'MC DEBIT in CAD; this account takes VISA, MC, AMX'],
    ['NA', 'USD', 'MAESTR', 'MOP_UNKNOWN', 'this account takes VISA, MC, AMX, DSC'],
    ['UK', 'GBP', 'DSC', 'MOP_UNKNOWN', 'this account takes VISA, MC, AMX, MAESTR'],
    ['NA', 'GBP', 'JCB', 'MOP_UNKNOWN', 'this account takes no cards'],
  ] as const)('on %s in %s lists for %s what the account takes', (server, currency, cell, code, detail) => {
    const reports: unknown[] = [];
    mopRule({ server, currency })(cell, (...report) => reports.push(report));
    expect(reports).toEqual([[code, detail]]);
  });
});
