import type { Measurement } from '../measure/record.ts';
import { describeFallen, judgeRatios } from './judge-ratios.ts';
import { quickRatios, type Ratios } from './ratios.ts';

/**
 * Compares with the committed ratios. A ratio that fell is measured again, because another program may have slowed the
 * machine.
 * @param measureAgain repeats the whole quick run
 * @returns one sentence for each ratio that fell twice
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
