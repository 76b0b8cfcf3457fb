import { describe, expect, it } from 'vitest';
import { FAULT_KINDS } from '../../../src/sandbox/faults/fault-kinds.ts';
import { LEAST_OF_A_KIND } from '../support/fault-cases.ts';
import { FAULT_SEED, runFaultCases, seededCases } from '../support/run-fault-cases.ts';

/**
 * Ten thousand calls, each struck by a fault: none may throw, each must be answered with the kind that its fault
 * demands, and what the client says of money must be what the books of the service say. The other half is run by
 * seeded-faults-other-half.test.ts.
 *
 * The cases are drawn from a seed. To run those of a run that failed, or others:
 * PAYDROP_FAULT_SEED=... npx vitest run test/gateway/faults
 */
describe(`10,000 faults of the seed ${FAULT_SEED}`, () => {
  const cases = seededCases();

  it(`are of every kind, each ${LEAST_OF_A_KIND} times at least`, () => {
    const counts = Object.keys(FAULT_KINDS).map((kind) => cases.filter((each) => each.kind === kind).length);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(LEAST_OF_A_KIND);
    expect(cases).toHaveLength(10_000);
  });

  it('are answered as they demand, and the books agree with every answer: first half', async () => {
    const wrong = await runFaultCases(cases.filter(({ number }) => number % 2 === 0));
    expect(wrong.slice(0, 20), `PAYDROP_FAULT_SEED=${FAULT_SEED}, ${wrong.length} in all`).toEqual([]);
  }, 600_000);
});
