import { describe, expect, it } from 'vitest';
import { effectOf } from '../../src/csv/fault-effect.ts';

describe('effectOf', () => {
  it.each([
    ['CARD_BRAND', 'row'],
    ['COLUMN_COUNT', 'reject'],
    ['WRONG_SIGN', 'hold'],
    ['TEXT_REPLACED', 'warn'],
  ] as const)('of %s is %s, as the table says', (code, effect) => {
    expect(effectOf(code, { duplicateRows: 'reject' })).toBe(effect);
  });

  it.each(['hold', 'reject', 'warn'] as const)('of a duplicate row is what the folder says: %s', (duplicateRows) => {
    expect(effectOf('DUPLICATE_ROW', { duplicateRows })).toBe(duplicateRows);
  });
});
