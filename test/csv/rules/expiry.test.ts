import { describe, expect, it } from 'vitest';
import { expiryRule } from '../../../src/csv/rules/rule-of-column.ts';
import { apply } from '../support.ts';

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
