import { describe, expect, it } from 'vitest';
import { makePlan } from '../../bench/plan.ts';

describe('makePlan', () => {
  it('goes up to a million rows, and to ten millions in the ledger', () => {
    const plan = makePlan({ isQuick: false });
    expect(plan.sizes.dropToResult).toEqual([10_000, 100_000, 1_000_000]);
    expect(plan.ledgerRows).toBe(10_000_000);
  });

  it('keeps below the limit that it is given, with no size twice', () => {
    const plan = makePlan({ isQuick: false, rows: 50_000, rounds: 1 });
    expect(plan.sizes.validate).toEqual([10_000, 50_000]);
    expect([plan.rounds, plan.ledgerRows]).toEqual([1, 500_000]);
  });

  it('has one size of each for the guard', () => {
    const { sizes, batchRows } = makePlan({ isQuick: true });
    expect([sizes.validate, sizes.stations, sizes.dropToResult, batchRows].map(({ length }) => length)).toEqual([
      1, 1, 1, 1,
    ]);
  });
});
