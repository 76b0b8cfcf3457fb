import type { Ratios } from './ratios.ts';

/** A ratio may be so much smaller than the committed one before it counts: below that it is the noise of the machine. */
const MOST_LOST = 0.3;

export type Fallen = { readonly name: string; readonly committed: number; readonly measured: number };

/** Those that fell too far. What was not measured cannot be judged; what is new has nothing to be compared with. */
export function judgeRatios(measured: Ratios, committed: Ratios): Fallen[] {
  return Object.entries(committed).flatMap(([name, before]) => {
    const now = measured[name];
    return now === undefined || now >= before * (1 - MOST_LOST) ? [] : [{ name, committed: before, measured: now }];
  });
}

export function describeFallen({ name, committed, measured }: Fallen): string {
  const lost = Math.round((1 - measured / committed) * 100);
  return `${name} fell by ${lost} %: it was ${committed.toFixed(2)} times as fast and is ${measured.toFixed(2)}`;
}
