import { FAULT_KINDS } from '../../../src/sandbox/faults/fault-kinds.ts';
import type { FaultCase } from './fault-cases.ts';
import { openFaultLane } from './fault-lane.ts';
import { FIXED_SEED } from './seeds.ts';

/** PAYDROP_FAULT_SEED selects other cases, or repeats those of a failed run. */
export const FAULT_SEED = Number(process.env['PAYDROP_FAULT_SEED'] ?? FIXED_SEED);

/** Returns how often the rarest kind is struck. */
export function leastOfAKind(cases: readonly FaultCase[]): number {
  return Math.min(...Object.keys(FAULT_KINDS).map((kind) => cases.filter((each) => each.kind === kind).length));
}

const LANES = 40;

/** Runs cases side by side, each lane one at a time. Returns what was wrong, each with its case. */
export async function runFaultCases(cases: readonly FaultCase[]): Promise<string[]> {
  const lanes = await Promise.all(Array.from({ length: Math.min(LANES, cases.length / 10) }, openFaultLane));
  const waiting = [...cases];
  const wrong: string[] = [];
  const work = lanes.map(async (lane) => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      for (const fault of await lane.run(next)) wrong.push(describeCase(next, fault));
    }
    wrong.push(...lane.audit());
  });
  try {
    await Promise.all(work);
  } finally {
    await Promise.all(lanes.map((lane) => lane.close()));
  }
  return wrong;
}

function describeCase({ number, operation, kind, wish, rows }: FaultCase, fault: string): string {
  return `case ${number}, ${operation} (${wish}, ${rows} rows) struck by ${kind}: ${fault}`;
}
