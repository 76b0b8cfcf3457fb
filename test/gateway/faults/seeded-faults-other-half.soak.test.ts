import { describe, expect, it } from 'vitest';
import { drawFaultCases } from '../support/fault-cases.ts';
import { FAULT_SEED, runFaultCases } from '../support/run-fault-cases.ts';

/** See seeded-faults.soak.test.ts. */
describe(`10,000 faults of the seed ${FAULT_SEED}`, () => {
  it('are answered as they demand, and the books agree with every answer: second half', async () => {
    const cases = drawFaultCases(FAULT_SEED, { count: 10_000, leastOfAKind: 50 });
    const wrong = await runFaultCases(cases.filter(({ number }) => number % 2 === 1));
    expect(wrong.slice(0, 20), `PAYDROP_FAULT_SEED=${FAULT_SEED}, ${wrong.length} in all`).toEqual([]);
  }, 600_000);
});
