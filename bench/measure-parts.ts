import { describeMachine, versionsOf } from './measure/describe-machine.ts';
import type { BenchRun, Measurement } from './measure/record.ts';
import { openBench } from './open-bench.ts';
import type { Part, Plan } from './parts/part.ts';

/** Measures one part after another. A part that fails is reported and does not discard the results of the others. */
export async function measureParts(
  parts: readonly Part[],
  plan: Plan,
  say: (text: string) => void,
): Promise<{ run: BenchRun; failed: string[] }> {
  const bench = await openBench(plan, say);
  const measurements: Measurement[] = [];
  const failed: string[] = [];
  try {
    for (const { name, about, measure } of parts) {
      say(`\n${name}: ${about}`);
      await measure(bench).then(
        (found) => measurements.push(...found),
        (error: unknown) => {
          failed.push(name);
          say(error instanceof Error ? error.message : String(error));
        },
      );
    }
  } finally {
    await bench.close();
  }
  return { run: describeAs(plan, measurements), failed };
}

function describeAs(plan: Plan, measurements: Measurement[]): BenchRun {
  return {
    kind: 'bench',
    day: new Date().toISOString().slice(0, 10),
    machine: describeMachine(),
    versions: versionsOf(['csv-parse', 'papaparse', 'fast-csv', 'zod', 'soap']),
    rounds: plan.rounds,
    measurements,
  };
}
