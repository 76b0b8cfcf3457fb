import { describe, expect, it } from 'vitest';
import { invoiceRule } from '../../../src/csv/rules/text.ts';
import { apply } from '../support.ts';

describe('invoiceRule', () => {
  it.each([
    ['INV-1', 'INV-1'],
    ['00017', '00017'],
    ['Ré 5/2026 #3', 'Ré 5/2026 #3'],
    ['DEC-17', 'DEC-17'],
    ['x'.repeat(40), 'x'.repeat(40)],
    ['x'.repeat(41), 'FIELD_TOO_LONG'],
    ['a,b', 'FIELD_COMMA'],
    ['a"b', 'FIELD_COMMA'],
    ['Dec-17', 'SPREADSHEET_DAMAGE'],
    ['17-Dec', 'SPREADSHEET_DAMAGE'],
    ['1.23E+11', 'SPREADSHEET_DAMAGE'],
    ['#####', 'SPREADSHEET_DAMAGE'],
    ['4222222222222220', 'CARD_NUMBER_IN_TEXT'],
    ['a\u200bb', 'FIELD_CHARACTER'],
  ])('takes %j for %j', (cell, expected) => {
    expect(apply(invoiceRule(40), cell)).toBe(expected);
  });
});
