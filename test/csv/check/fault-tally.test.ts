import { describe, expect, it } from 'vitest';
import { faultTally } from '../../../src/csv/check/fault-effect.ts';
import { rulesWith } from '../support.ts';

describe('faultTally', () => {
  it('counts by code and knows what follows', () => {
    const tally = faultTally(rulesWith({ folder: { duplicateRows: 'reject' } }).folder);
    tally.count({ code: 'CARD_BRAND', line: 1 });
    tally.count({ code: 'CARD_BRAND', line: 2 });
    expect(tally.counts()).toEqual({ CARD_BRAND: 2 });
    expect([tally.has('row'), tally.has('reject'), tally.has('hold')]).toEqual([true, false, false]);
    tally.count({ code: 'DUPLICATE_ROW', line: 3 });
    expect(tally.has('reject')).toBe(true);
  });

  it('lists the first thousand faults of structure and counts the others', () => {
    const tally = faultTally(rulesWith().folder);
    const listed = Array.from({ length: 1_500 }, (_, index) => {
      return tally.countStructural({ code: index % 2 === 0 ? 'ENCODING' : 'COLUMN_COUNT', line: index + 1 });
    });
    expect(listed.lastIndexOf(true)).toBe(999);
    expect(listed.indexOf(false)).toBe(1_000);
    expect(tally.counts()).toEqual({ ENCODING: 750, COLUMN_COUNT: 750 });
    expect(tally.summarise()).toEqual([
      { code: 'ENCODING', line: 0, detail: '750 in all; 250 of them are not listed' },
      { code: 'COLUMN_COUNT', line: 0, detail: '750 in all; 250 of them are not listed' },
    ]);
  });

  it('has nothing to summarise when all were listed', () => {
    const tally = faultTally(rulesWith().folder);
    tally.countStructural({ code: 'ENCODING', line: 1 });
    expect(tally.summarise()).toEqual([]);
  });
});
