import type { Measurement } from '../measure/record.ts';
import { describeFallen, judgeRatios } from './judge-ratios.ts';
import { quickRatios, type Ratios } from './ratios.ts';

/**
 * Compares with the committed ratios. One that fell is measured once more before it is believed, because another program
 * may have had the machine for a while.
 * @param measureAgain measures all of the quick run
 * @returns a sentence for each that fell twice
 */
export async function guardRatios(
  measurements: readonly Measurement[],
  committed: Ratios,
  measureAgain: () => Promise<readonly Measurement[]>,
): Promise<string[]> {
  const fallen = judgeRatios(quickRatios(measurements), committed);
  if (fallen.length === 0) return [];
  const again = new Set(judgeRatios(quickRatios(await measureAgain()), committed).map(({ name }) => name));
  return fallen.filter(({ name }) => again.has(name)).map(describeFallen);
}
