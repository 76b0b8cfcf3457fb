import { randomInt } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { FAULT_KINDS } from '../../src/sandbox/faults/fault-kinds.ts';
import { describeFailure, simulateInProcesses } from './simulate.ts';
import { ACTS, SELDOM } from './steps/acts.ts';
import { DAMAGES } from './files/draft-file.ts';
import { MEANWHILE } from './steps/run-stage.ts';
import { STEPS } from './steps/steps.ts';

const SCENARIOS = 100;

describe('scenarios', () => {
  it('hold what is promised, and are about everything there is', { timeout: 3_600_000 }, async () => {
    const { scenarios, failed, counts, failures } = await simulateInProcesses({ seed: 1101, scenarios: SCENARIOS }, 2);

    expect(failures.map(describeFailure).join('\n')).toBe('');
    expect({ scenarios, failed }).toEqual({ scenarios: SCENARIOS, failed: 0 });
    const of = (topic: string) => Object.keys(counts[topic] ?? {});
    const missing = (topic: string, all: readonly { name: string }[]) =>
      all.map(({ name }) => name).filter((name) => !of(topic).includes(name));
    expect({
      steps: missing('steps', STEPS),
      acts: missing('acts', ACTS).filter((name) => !SELDOM.includes(name)),
      damages: missing('damages', DAMAGES),
      meanwhile: missing('meanwhile', MEANWHILE),
    }).toEqual({ steps: [], acts: [], damages: [], meanwhile: [] });
    // test/gateway/faults and test/sandbox/faults try each fault by itself.
    expect(of('faults planned').length).toBeGreaterThan(0.8 * Object.keys(FAULT_KINDS).length);
    expect(of('files')).toContain('completed');
  });

  it('that nobody has played before hold it too', { timeout: 300_000 }, async () => {
    const order = { seed: randomInt(1_000_000, 2 ** 31), scenarios: 10 };
    const { scenarios, failures } = await simulateInProcesses(order, 2);
    expect(failures.map(describeFailure).join('\n')).toBe('');
    expect(scenarios).toBe(order.scenarios);
  });
});
