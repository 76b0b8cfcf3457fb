import type { About, Measurement, Sample } from './record.ts';

/** A program to measure: each call of `run` is one sample. One that cannot run here says why. */
export type Contestant = {
  readonly about: About;
} & ({ run(): Promise<Sample>; readonly leftOut?: never } | { readonly leftOut: string; run?: never });

/**
 * Measures all contestants in turn, round by round. Machine drift then affects all alike, and samples of one round are
 * comparable.
 */
export async function takeTurns(
  contestants: readonly Contestant[],
  rounds: number,
  say: (text: string) => void,
): Promise<Measurement[]> {
  const measurements = contestants.map(({ about, leftOut }) => ({
    ...about,
    samples: [] as Sample[],
    ...(leftOut !== undefined && { leftOut }),
  }));
  for (const { about, leftOut } of contestants)
    if (leftOut !== undefined) say(`LEFT OUT  ${describe(about)}: ${leftOut}`);
  for (let round = 1; round <= rounds; round += 1) {
    for (const [index, { about, run }] of contestants.entries()) {
      if (!run) continue;
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
