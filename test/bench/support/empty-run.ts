import type { BenchRun, Measurement } from '../../../bench/measure/record.ts';

/** Returns a run on no particular machine. */
export function emptyRun(measurements: Measurement[] = []): BenchRun {
  const machine = { processor: 'a processor', cores: 2, memoryGb: 8, system: 'linux x64', node: 'v20', postgres: '18' };
  return { kind: 'bench', day: '2026-11-22', machine, versions: { 'csv-parse': '7' }, rounds: 3, measurements };
}
