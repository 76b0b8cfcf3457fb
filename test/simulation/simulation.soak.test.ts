import { randomInt } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { FAULT_KINDS } from '../../src/sandbox/faults/fault-kinds.ts';
import { describeFailure } from './describe-report.ts';
import { simulateInProcesses } from './simulate.ts';
import { ACTS, SELDOM } from './steps/acts.ts';
import { DAMAGES } from './files/damages.ts';
import { MEANWHILE } from './steps/meanwhile.ts';
import { STEPS } from './steps/steps.ts';

describe('scenarios', () => {
  it('hold what is promised, and are about everything there is', { timeout: 3_600_000 }, async () => {
    const { scenarios, failed, counts, failures } = await simulateInProcesses({ seed: 1, scenarios: 200 }, 2);

    expect(failures.map(describeFailure).join('\n')).toBe('');
    expect({ scenarios, failed }).toEqual({ scenarios: 200, failed: 0 });
    const of = (topic: string) => Object.keys(counts[topic] ?? {});
    expect(of('steps')).toEqual(expect.arrayContaining(STEPS.map(({ name }) => name)));
    const usual = ACTS.map(({ name }) => name).filter((name) => !SELDOM.includes(name));
    expect(of('acts')).toEqual(expect.arrayContaining(usual));
    expect(of('damages')).toEqual(expect.arrayContaining(DAMAGES.map(({ name }) => name)));
    expect(of('meanwhile')).toEqual(expect.arrayContaining(MEANWHILE.map(({ name }) => name)));
    // Each by itself is tried in test/gateway/faults and test/sandbox/faults.
    expect(of('faults planned').length).toBeGreaterThan(0.9 * Object.keys(FAULT_KINDS).length);
    expect(of('files')).toContain('completed');
  });

  it('that nobody has played before hold it too', { timeout: 300_000 }, async () => {
    const order = { seed: randomInt(1_000_000, 2 ** 31), scenarios: 10 };
    const { scenarios, failures } = await simulateInProcesses(order, 2);
    expect(failures.map(describeFailure).join('\n')).toBe('');
    expect(scenarios).toBe(order.scenarios);
  });
});
