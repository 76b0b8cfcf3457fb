import type { CrashPointName } from '../../../src/kernel/crash-points.ts';

/** Where a daemon is to die: the `hits`-th time that it passes a point, around a commit only when it makes `move`. */
export type Order = { point: CrashPointName; move?: string; hits: number };

export function describeOrder({ point, move, hits }: Order): string {
  return `${point}${move === undefined ? '' : ` of ${move}`}${hits > 1 ? `, time ${hits}` : ''}`;
}
