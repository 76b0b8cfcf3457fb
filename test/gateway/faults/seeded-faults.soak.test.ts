import { describe, expect, it } from 'vitest';
import { drawFaultCases } from '../support/fault-cases.ts';
import { FAULT_SEED, leastOfAKind, runFaultCases } from '../support/run-fault-cases.ts';

/** See seeded-faults.test.ts. The other half is run by seeded-faults-other-half.soak.test.ts, on another processor. */
describe(`10,000 faults of the seed ${FAULT_SEED}`, () => {
  const cases = drawFaultCases(FAULT_SEED, { count: 10_000, leastOfAKind: 50 });

  it('are of every kind, each 50 times at least', () => {
    expect(leastOfAKind(cases)).toBeGreaterThanOrEqual(50);
    expect(cases).toHaveLength(10_000);
  });

  it('are answered as they demand, and the books agree with every answer: first half', async () => {
    const wrong = await runFaultCases(cases.filter(({ number }) => number % 2 === 0));
    expect(wrong.slice(0, 20), `PAYDROP_FAULT_SEED=${FAULT_SEED}, ${wrong.length} in all`).toEqual([]);
  }, 600_000);
});
