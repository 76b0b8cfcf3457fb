import { peakMemoryOf } from './peak-memory.ts';

/**
 * Times the work of a measured program and prints the sample as its last line, for run-program.ts. The start of the
 * program and the loading of its modules are over by then.
 */
export async function reportSample(work: () => Promise<Record<string, number> | undefined>): Promise<void> {
  const started = performance.now();
  const figures = (await work()) ?? {};
  const seconds = (performance.now() - started) / 1_000;
  printSample({ seconds, figures });
}

/** For programs that time themselves. */
export function printSample(sample: { seconds: number; figures: Record<string, number> }): void {
  process.stdout.write(`\n${JSON.stringify({ ...sample, peakMb: peakMemoryOf('self') })}\n`);
}
