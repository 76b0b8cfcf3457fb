import type { CrashPointName } from '../../../src/kernel/crash-point.ts';

/** Where a daemon dies: the `hits`-th time it passes a point; around a commit, only if the commit makes `move`. */
export type Order = {
  point: CrashPointName;
  move?: string;
  hits: number;
  /** It freezes there in the middle of its work (SIGSTOP) instead of dying; when it goes on, the next order applies. */
  freeze?: { next?: Order };
};

export function describeOrder({ point, move, hits, freeze }: Order): string {
  const next = freeze?.next ? `, then at ${describeOrder(freeze.next)}` : '';
  return `${point}${move === undefined ? '' : ` of ${move}`}${hits > 1 ? `, time ${hits}` : ''}${next}`;
}
