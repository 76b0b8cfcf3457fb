import { describe, expect, it } from 'vitest';
import { drawFaultCases, FAULT_SEED, leastOfAKind, runFaultCases } from '../support/fault-cases.ts';
import { freshSeed } from '../../support/random.ts';

/** See seeded-faults.soak.test.ts. */
describe(`6,000 faults of the seed ${FAULT_SEED}`, () => {
  it('are answered as they demand, and the books agree with every answer: second half', async () => {
    const cases = drawFaultCases(FAULT_SEED, { count: 6_000, leastOfAKind: 30 });
    const wrong = await runFaultCases(cases.filter(({ number }) => number % 2 === 1));
    expect(wrong.slice(0, 20), `PAYDROP_FAULT_SEED=${FAULT_SEED}, ${wrong.length} in all`).toEqual([]);
  }, 600_000);
});

const fresh = freshSeed();
describe(`200 faults of the seed ${fresh}, which nobody has tried`, () => {
  it('are answered as they demand, and the books agree with every answer', async () => {
    const cases = drawFaultCases(fresh, { count: 200, leastOfAKind: 2 });
    expect(leastOfAKind(cases)).toBeGreaterThanOrEqual(2);
    const wrong = await runFaultCases(cases);
    expect(wrong.slice(0, 20), `PAYDROP_FAULT_SEED=${fresh}, ${wrong.length} in all`).toEqual([]);
  }, 600_000);
});
