import { describe, expect, it } from 'vitest';
import { accountTypeRule } from '../../../src/csv/rules/rule-of-column.ts';
import { apply } from '../support.ts';

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
