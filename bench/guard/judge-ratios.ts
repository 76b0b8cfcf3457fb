import type { Ratios } from './ratios.ts';

/** Share that a ratio may lose against the committed one; a smaller loss is machine noise. */
const MOST_LOST = 0.3;

export type Fallen = { readonly name: string; readonly committed: number; readonly measured: number };

/** Returns the ratios that fell too far. Ratios that were not measured, or not committed yet, are skipped. */
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
