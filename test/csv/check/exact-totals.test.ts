import { describe, expect, it } from 'vitest';
import { exactTotals } from '../../../src/csv/check/check-records.ts';

describe('exactTotals', () => {
  it('adds up charges and refunds', () => {
    const totals = exactTotals(1_000);
    expect([500, -200, 700].map(totals.add)).toEqual([true, true, true]);
    expect(totals.sum()).toEqual({ rows: 3, cents: 1_000 });
  });

  it.each([1, -1])('takes no amount that carries the sum beyond its limit, sign %i', (sign) => {
    const totals = exactTotals(1_000);
    expect([1_000, 1, -5, 6, 5].map((cents) => totals.add(sign * cents))).toEqual([true, false, true, false, true]);
    expect(totals.sum()).toEqual({ rows: 3, cents: sign * 1_000 });
  });
});
