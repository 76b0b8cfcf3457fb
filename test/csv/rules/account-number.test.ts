import { describe, expect, it } from 'vitest';
import { accountNumberRule } from '../../../src/csv/rules/rule-of-column.ts';
import { apply } from '../support.ts';

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
