import { describe, expect, it } from 'vitest';
import { amountRule } from '../../../src/csv/rules/rule-of-column.ts';
import { apply } from '../support.ts';

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
