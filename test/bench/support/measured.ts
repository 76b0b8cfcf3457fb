import type { About, BenchRun, Measurement } from '../../../bench/measure/record.ts';

/** Returns a measurement with one round for each of `seconds`, at 100 MB each. */
export function measured(
  about: Partial<About>,
  seconds: readonly number[],
  figures: Readonly<Record<string, readonly number[]>> = {},
): Measurement {
  return {
    part: 'validate',
    subject: 'paydrop',
    condition: 'ordinary',
    rows: 1_000,
    ...about,
    samples: seconds.map((value, round) => ({
      seconds: value,
      peakMb: 100,
      figures: Object.fromEntries(Object.entries(figures).map(([name, values]) => [name, values[round]!])),
    })),
  };
}

/** Returns a run on no particular machine. */
export function emptyRun(measurements: Measurement[] = []): BenchRun {
  const machine = { processor: 'a processor', cores: 2, memoryGb: 8, system: 'linux x64', node: 'v20', postgres: '18' };
  return { kind: 'bench', day: '2026-11-22', machine, versions: { 'csv-parse': '7' }, rounds: 3, measurements };
}
