import { describe, expect, it } from 'vitest';
import { customerCodeRule } from '../../../src/csv/rules/text.ts';
import { apply } from '../support.ts';

describe('customerCodeRule', () => {
  it.each([
    ['A10000001', 'A10000001'],
    ['a.b-c_9', 'a.b-c_9'],
    ['x'.repeat(40), 'x'.repeat(40)],
    ['x'.repeat(41), 'FIELD_TOO_LONG'],
    ['A 1', 'FIELD_CHARACTER'],
    ['Ä1', 'FIELD_CHARACTER'],
    ['A/1', 'FIELD_CHARACTER'],
    ['A,1', 'FIELD_COMMA'],
    ['4222222222222220', 'CARD_NUMBER_IN_TEXT'],
    ['1.0E+10', 'SPREADSHEET_DAMAGE'],
    ['1-Mar', 'SPREADSHEET_DAMAGE'],
    ['Dec-17', 'SPREADSHEET_DAMAGE'],
    ['DEC-17', 'DEC-17'],
    ['="007"', 'SPREADSHEET_DAMAGE'],
  ])('takes %j for %j', (cell, expected) => {
    expect(apply(customerCodeRule(40), cell)).toBe(expected);
  });
});
