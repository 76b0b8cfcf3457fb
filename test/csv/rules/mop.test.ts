import { describe, expect, it } from 'vitest';
import { mopRule } from '../../../src/csv/rules/rule-of-column.ts';
import { apply } from '../support.ts';

describe('mopRule', () => {
  it.each([
    ['NA', 'USD', 'VISA', 'VISA'],
    ['NA', 'USD', 'visa', 'VISA'],
    ['NA', 'USD', 'Dsc', 'DSC'],
    ['NA', 'CAD', 'DSC', 'MOP_RESTRICTED'],
    ['NA', 'GBP', 'VISA', 'MOP_RESTRICTED'],
    ['NA', 'USD', 'MAESTR', 'MOP_UNKNOWN'],
    ['NA', 'USD', 'VISA DEBIT', 'MOP_UNKNOWN'],
    ['NA', 'USD', 'AMEX', 'MOP_UNKNOWN'],
    ['NA', 'USD', '#REF!', 'SPREADSHEET_DAMAGE'],
    ['UK', 'GBP', 'MAESTR', 'MAESTR'],
    ['UK', 'GBP', 'Maestro', 'MAESTR'],
    ['UK', 'EUR', 'MAESTRO', 'MOP_RESTRICTED'],
    ['UK', 'GBP', 'DSC', 'MOP_UNKNOWN'],
  ] as const)('on %s in %s takes %j for %j', (server, currency, cell, expected) => {
    expect(apply(mopRule({ server, currency }), cell)).toBe(expected);
  });
});
