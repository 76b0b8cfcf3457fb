import type { About, Measurement, Sample } from './record.ts';

/** Somebody who is measured: each call of `run` is one sample. */
export type Contestant = { readonly about: About; run(): Promise<Sample> };

/**
 * Measures all of them in turns, one after the other and then again from the first: what drifts in the machine falls on
 * all alike, and samples of one round belong together.
 */
export async function takeTurns(
  contestants: readonly Contestant[],
  rounds: number,
  say: (text: string) => void,
): Promise<Measurement[]> {
  const measurements = contestants.map(({ about }) => ({ ...about, samples: [] as Sample[] }));
  for (let round = 1; round <= rounds; round += 1) {
    for (const [index, { about, run }] of contestants.entries()) {
      const sample = await run();
      measurements[index]!.samples.push(sample);
      say(`round ${round} of ${rounds}  ${describe(about)}  ${sample.seconds.toFixed(2)} s  ${memoryOf(sample)}`);
    }
  }
  return measurements;
}

function describe({ part, subject, condition, rows }: About): string {
  return `${part}: ${subject}, ${condition}, ${rows.toLocaleString('en-US')} rows`;
}

function memoryOf({ peakMb }: Sample): string {
  return peakMb === null ? '' : `${Math.round(peakMb)} MB`;
}
