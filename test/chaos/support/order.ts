import type { CrashPointName } from '../../../src/kernel/crash-point.ts';

/** Where a daemon is to die: the `hits`-th time that it passes a point, around a commit only when it makes `move`. */
export type Order = {
  point: CrashPointName;
  move?: string;
  hits: number;
  /** It is stopped there in the middle of its work (SIGSTOP) and does not die; going on, it has the next order. */
  freeze?: { next?: Order };
};

export function describeOrder({ point, move, hits, freeze }: Order): string {
  const next = freeze?.next ? `, then at ${describeOrder(freeze.next)}` : '';
  return `${point}${move === undefined ? '' : ` of ${move}`}${hits > 1 ? `, time ${hits}` : ''}${next}`;
}
