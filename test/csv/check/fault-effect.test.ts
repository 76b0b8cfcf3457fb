import { describe, expect, it } from 'vitest';
import { type EffectRules, effectOf } from '../../../src/csv/check/fault-effect.ts';

const RULES: EffectRules = { duplicateRows: 'reject', sameTotals: 'hold', chargedBefore: 'hold' };

describe('effectOf', () => {
  it.each([
    ['CARD_BRAND', 'row'],
    ['COLUMN_COUNT', 'reject'],
    ['WRONG_SIGN', 'hold'],
    ['SAME_ROWS', 'hold'],
    ['TEXT_REPLACED', 'warn'],
  ] as const)('of %s is %s, as the table says', (code, effect) => {
    expect(effectOf(code, RULES)).toBe(effect);
  });

  it.each(['hold', 'reject', 'warn'] as const)('of a duplicate row is what the folder says: %s', (duplicateRows) => {
    expect(effectOf('DUPLICATE_ROW', { ...RULES, duplicateRows })).toBe(duplicateRows);
  });

  it('of a row like another one refuses nothing', () => {
    const effectUnder = (duplicateRows: EffectRules['duplicateRows']) =>
      effectOf('LIKE_ROW', { ...RULES, duplicateRows });
    expect((['hold', 'reject', 'warn'] as const).map(effectUnder)).toEqual(['hold', 'hold', 'warn']);
  });

  it.each([
    ['hold', 'hold'],
    ['warn', 'warn'],
    // Found before the folder turned this check off.
    ['off', 'warn'],
  ] as const)('of what other files show is what the folder says: %s', (setting, effect) => {
    expect(effectOf('SAME_TOTALS', { ...RULES, sameTotals: setting })).toBe(effect);
    expect(effectOf('CHARGED_BEFORE', { ...RULES, chargedBefore: setting })).toBe(effect);
  });
});
