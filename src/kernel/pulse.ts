import type { ErrorCode } from '../../schemas/errors.ts';
import type { Clock } from './clock.ts';

/**
 * Signs of life of this process, in memory: they say of a moment ago what no table could. Whoever watches compares them
 * with the clock.
 */
export type Pulse = {
  /** When this process began; what never happened is as old as this. */
  readonly begunAt: Date;
  /** Ids of the drop folders that this process lists time after time; others do so at other sites or at set times. */
  readonly watched: ReadonlySet<string>;
  /** When each drop folder was last listed without trouble, by its id. */
  readonly listedAt: ReadonlyMap<string, Date>;
  /** When the ledger was last compared with the queue without trouble. */
  readonly sweptAt: Date | undefined;
  /** Since when each comparison of ledger and queue fails, and for which reason last; undefined while they succeed. */
  readonly trouble: { readonly since: Date; readonly code: ErrorCode; readonly why: string | undefined } | undefined;
  /** Since when each try to fetch from or upload to an SFTP server fails, by what is done there. Empty while all succeed. */
  readonly brokenTransfers: ReadonlyMap<string, BrokenTransfer>;
  /** Those whose last try succeeded. */
  readonly workingTransfers: ReadonlySet<string>;
  /** Work that has failed and not succeeded since, here or elsewhere, each as `work subject`; renewed with each sweep. */
  readonly failing: Set<string>;
  /** Nothing new is begun any more. */
  readonly isStopping: boolean;
  noteWatch(folderIds: readonly string[]): void;
  noteListing(folderId: string): void;
  noteSweep(): void;
  noteTrouble(code: ErrorCode, why?: string): void;
  /** @param fault left out when it succeeded */
  noteTransfer(name: string, fault?: Omit<BrokenTransfer, 'since'>): void;
  noteStop(): void;
};

/** `everyMs`: time between two tries. */
export type BrokenTransfer = { readonly since: Date; readonly everyMs: number; readonly account: string | null };

export function startPulse(clock: Clock): Pulse {
  const listedAt = new Map<string, Date>();
  const watched = new Set<string>();
  const brokenTransfers = new Map<string, BrokenTransfer>();
  const workingTransfers = new Set<string>();
  let sweptAt: Date | undefined;
  let trouble: Pulse['trouble'];
  let isStopping = false;
  return {
    begunAt: clock.now(),
    watched,
    listedAt,
    brokenTransfers,
    workingTransfers,
    failing: new Set(),
    get sweptAt() {
      return sweptAt;
    },
    get trouble() {
      return trouble;
    },
    get isStopping() {
      return isStopping;
    },
    noteWatch: (folderIds) => {
      for (const id of folderIds) watched.add(id);
    },
    noteListing: (folderId) => {
      listedAt.set(folderId, clock.now());
    },
    noteSweep: () => {
      sweptAt = clock.now();
      trouble = undefined;
    },
    noteTrouble: (code, why) => {
      trouble = { since: trouble?.since ?? clock.now(), code, why };
    },
    noteTransfer: (name, fault) => {
      if (fault === undefined) {
        brokenTransfers.delete(name);
        workingTransfers.add(name);
      } else {
        brokenTransfers.set(name, { since: brokenTransfers.get(name)?.since ?? clock.now(), ...fault });
        workingTransfers.delete(name);
      }
    },
    noteStop: () => {
      isStopping = true;
    },
  };
}
