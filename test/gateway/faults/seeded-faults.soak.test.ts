import { describe, expect, it } from 'vitest';
import { drawFaultCases, FAULT_SEED, leastOfAKind, runFaultCases } from '../support/fault-cases.ts';

/**
 * Calls struck by faults. None may throw, each must get the kind of answer that its fault demands, and each answer
 * about money must match the service's books. seeded-faults-other-half.soak.test.ts runs the other half on another
 * processor.
 *
 * A seed determines the cases. To run others: PAYDROP_FAULT_SEED=... npx vitest run --project soak test/gateway/faults
 */
describe(`6,000 faults of the seed ${FAULT_SEED}`, () => {
  const cases = drawFaultCases(FAULT_SEED, { count: 6_000, leastOfAKind: 30 });

  it('are of every kind, each 30 times at least', () => {
    expect(leastOfAKind(cases)).toBeGreaterThanOrEqual(30);
    expect(cases).toHaveLength(6_000);
  });

  it('are answered as they demand, and the books agree with every answer: first half', async () => {
    const wrong = await runFaultCases(cases.filter(({ number }) => number % 2 === 0));
    expect(wrong.slice(0, 20), `PAYDROP_FAULT_SEED=${FAULT_SEED}, ${wrong.length} in all`).toEqual([]);
  }, 600_000);
});
