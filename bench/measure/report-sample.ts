import { peakMemoryOf } from './peak-memory.ts';

/**
 * Times the work of a measured program and prints the sample as its last line, for run-program.ts. Program start and
 * module loading are not included.
 */
export async function reportSample(work: () => Promise<Record<string, number> | undefined>): Promise<void> {
  const started = performance.now();
  const figures = (await work()) ?? {};
  const seconds = (performance.now() - started) / 1_000;
  printSample({ seconds, figures });
}

/** Prints the sample of a program that times itself. */
export function printSample(sample: { seconds: number; figures: Record<string, number> }): void {
  process.stdout.write(`\n${JSON.stringify({ ...sample, peakMb: peakMemoryOf('self') })}\n`);
}
