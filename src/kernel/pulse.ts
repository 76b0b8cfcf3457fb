import type { Clock } from './clock.ts';

/**
 * Signs of life of this process, in memory: they say of a moment ago what no table could. Whoever watches compares them
 * with the clock.
 */
export type Pulse = {
  /** When this process began; what never happened is as old as this. */
  readonly begunAt: Date;
  /** When each drop folder was last listed without trouble, by its id. */
  readonly listedAt: ReadonlyMap<string, Date>;
  /** When the ledger was last compared with the queue without trouble. */
  readonly sweptAt: Date | undefined;
  /** Nothing new is begun any more. */
  readonly isStopping: boolean;
  noteListing(folderId: string): void;
  noteSweep(): void;
  noteStop(): void;
};

export function startPulse(clock: Clock): Pulse {
  const listedAt = new Map<string, Date>();
  let sweptAt: Date | undefined;
  let isStopping = false;
  return {
    begunAt: clock.now(),
    listedAt,
    get sweptAt() {
      return sweptAt;
    },
    get isStopping() {
      return isStopping;
    },
    noteListing: (folderId) => {
      listedAt.set(folderId, clock.now());
    },
    noteSweep: () => {
      sweptAt = clock.now();
    },
    noteStop: () => {
      isStopping = true;
    },
  };
}
