import { randomInt } from 'node:crypto';
import fc from 'fast-check';

/** Returns numbers that look random and repeat for the same seed, so that a failing run can be repeated. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Seed of the same cases in every run, so that what passed yesterday passes today. */
export const FIXED_SEED = 20_260_615;

/** Returns a seed for other cases in every run. The caller names it when something fails. */
export function freshSeed(): number {
  return randomInt(1, 2 ** 31);
}

/** What a long run of a property test takes from the environment of `npm run soak`. */
export type LongRun = {
  readonly runs: number;
  /** None for a run that is longer than usual. */
  readonly limitMs: number;
  /** File for what `npm run reliability` publishes. */
  readonly record: string | undefined;
};

/** @param usual how many cases are tried unless PAYDROP_TEST_RUNS says otherwise */
export function longRun(usual: number): LongRun {
  const raised = process.env['PAYDROP_TEST_RUNS'];
  return {
    runs: Number(raised ?? usual),
    limitMs: raised === undefined ? 300_000 : 0,
    record: process.env['PAYDROP_TEST_RECORD'],
  };
}

/** Runs a property half with the fixed seed and half with a fresh one, which fast-check names on failure. */
export async function tryProperty<Values>(
  property: fc.IAsyncProperty<Values> | fc.IProperty<Values>,
  numRuns: number,
): Promise<void> {
  for (const seed of [FIXED_SEED, freshSeed()]) {
    await fc.assert(property as fc.IAsyncProperty<Values>, { numRuns: Math.ceil(numRuns / 2), seed });
  }
}
