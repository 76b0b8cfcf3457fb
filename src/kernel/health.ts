import type { ErrorCode } from '../../schemas/errors.ts';
import type { EventMetric } from '../../schemas/metrics.ts';
import type { Clock } from './clock.ts';

/** Health signs of this process, in memory, more current than any table. The reader compares them with the clock. */
export type Health = {
  /** When this process started; the age of anything that never happened counts from here. */
  readonly begunAt: Date;
  /**
   * Ids of the drop folders that this process lists repeatedly, and since when. Others are listed at other sites or at
   * set times.
   */
  readonly watched: ReadonlyMap<string, Date>;
  /** When each drop folder was last listed successfully, by its id. */
  readonly listedAt: ReadonlyMap<string, Date>;
  /** When the ledger was last compared with the queue successfully. */
  readonly sweptAt: Date | undefined;
  /** Since when comparing ledger and queue has failed, and the last reason; undefined while it succeeds. */
  readonly trouble: { readonly since: Date; readonly code: ErrorCode; readonly why: string | undefined } | undefined;
  /** Work that has failed and not succeeded since, on any process, as `work subject`; refreshed by each sweep. */
  readonly failing: Set<string>;
  /** What a person at the terminal must know of a changed configuration; undefined while it is used as it is. */
  readonly settingsNotice: string | undefined;
  /** No new work is started. */
  readonly isStopping: boolean;
  /** Events of this process, for a monitoring program. */
  readonly tally: Tally;
  /** Replaces the folders named before. */
  noteWatch(folderIds: readonly string[]): void;
  noteSettings(notice: string | undefined): void;
  noteListing(folderId: string): void;
  noteSweep(): void;
  noteTrouble(code: ErrorCode, why?: string): void;
  noteStop(): void;
};

export function startHealth(clock: Clock): Health {
  const listedAt = new Map<string, Date>();
  const watched = new Map<string, Date>();
  const health: { -readonly [Sign in keyof Health]: Health[Sign] } = {
    begunAt: clock.now(),
    watched,
    listedAt,
    failing: new Set(),
    sweptAt: undefined,
    trouble: undefined,
    settingsNotice: undefined,
    isStopping: false,
    tally: openTally(),
    noteWatch: (folderIds) => {
      for (const id of watched.keys()) if (!folderIds.includes(id)) watched.delete(id);
      for (const id of folderIds) if (!watched.has(id)) watched.set(id, clock.now());
    },
    noteSettings: (notice) => {
      health.settingsNotice = notice;
    },
    noteListing: (folderId) => {
      listedAt.set(folderId, clock.now());
    },
    noteSweep: () => {
      health.sweptAt = clock.now();
      health.trouble = undefined;
    },
    noteTrouble: (code, why) => {
      health.trouble = { since: health.trouble?.since ?? clock.now(), code, why };
    },
    noteStop: () => {
      health.isStopping = true;
    },
  };
  return health;
}

/** Passes on what happens in this process. It keeps nothing, so it costs nothing where nothing is monitored. */
export type Tally = {
  /** @param value rows, cents or seconds; one event when left out */
  add(name: EventMetric, labels: Readonly<Record<string, string>>, value?: number): void;
  /** @returns ends it */
  listen(hear: Listener): () => void;
};

type Listener = (name: EventMetric, labels: Readonly<Record<string, string>>, value: number) => void;

export function openTally(): Tally {
  const listeners = new Set<Listener>();
  return {
    add: (name, labels, value = 1) => {
      for (const hear of listeners) {
        try {
          hear(name, labels, value);
        } catch {
          // A figure is never worth the work that it counts.
        }
      }
    },
    listen: (hear) => {
      listeners.add(hear);
      return () => void listeners.delete(hear);
    },
  };
}
