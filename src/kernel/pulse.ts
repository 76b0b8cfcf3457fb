import type { ErrorCode } from '../../schemas/errors.ts';
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
  /** Since when each comparison of ledger and queue fails, and for which reason last; undefined while they succeed. */
  readonly trouble: { readonly since: Date; readonly code: ErrorCode } | undefined;
  /** Nothing new is begun any more. */
  readonly isStopping: boolean;
  noteListing(folderId: string): void;
  noteSweep(): void;
  noteTrouble(code: ErrorCode): void;
  noteStop(): void;
};

export function startPulse(clock: Clock): Pulse {
  const listedAt = new Map<string, Date>();
  let sweptAt: Date | undefined;
  let trouble: Pulse['trouble'];
  let isStopping = false;
  return {
    begunAt: clock.now(),
    listedAt,
    get sweptAt() {
      return sweptAt;
    },
    get trouble() {
      return trouble;
    },
    get isStopping() {
      return isStopping;
    },
    noteListing: (folderId) => {
      listedAt.set(folderId, clock.now());
    },
    noteSweep: () => {
      sweptAt = clock.now();
      trouble = undefined;
    },
    noteTrouble: (code) => {
      trouble = { since: trouble?.since ?? clock.now(), code };
    },
    noteStop: () => {
      isStopping = true;
    },
  };
}
