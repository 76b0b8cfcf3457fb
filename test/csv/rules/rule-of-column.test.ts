import { describe, expect, it } from 'vitest';
import { COLUMNS, type ColumnName } from '../../../schemas/columns.ts';
import { ruleOfColumn } from '../../../src/csv/rules/rule-of-column.ts';
import { ACCOUNT, apply, rulesWith, VISA } from '../support.ts';

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
