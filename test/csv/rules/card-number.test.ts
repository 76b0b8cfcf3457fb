import { describe, expect, it } from 'vitest';
import { cardNumberRule } from '../../../src/csv/rules/rule-of-column.ts';
import { apply } from '../support.ts';

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
