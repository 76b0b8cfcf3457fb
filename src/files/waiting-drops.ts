import type { Scan, Waiting } from './scan-folder.ts';

/** A drop that was seen and is not taken yet. `isWhole`: it is complete. The name is its sender's: mask it. */
export type WaitingDrop = Waiting & { isWhole?: boolean };

/** What waits in a folder. `drops` are the first of `total`; `stop` says why nothing is taken from the folder. */
export type FolderWait = { drops: readonly WaitingDrop[]; total: number; stop?: string };

/** Drops of each folder that were seen and are not taken yet, in memory, by the last listing of this process. */
export type WaitingDrops = {
  /** Whether something shows them, so that folders whose drops only a schedule takes are worth listing. */
  readonly isShown: boolean;
  /** Whether this process lists the folders anyway, so that nobody else need do so to show them. */
  readonly isFollowed: boolean;
  show(): void;
  follow(): void;
  /** Replaces what is known of a folder. */
  note(folderId: string, scan: Pick<Scan, 'settled' | 'settling' | 'unmarked'>): void;
  /** Says why nothing is taken from a folder; undefined when its drops are taken. */
  noteStop(folderId: string, stop: string | undefined): void;
  /** Removes drops that have left their folder. */
  noteTaken(folderId: string, names: readonly string[]): void;
  /** Forgets a folder that cannot be listed. */
  forget(folderId: string): void;
  of(folderId: string): FolderWait;
  /**
   * @param onChange called when other drops wait, or for other reasons
   * @returns ends it
   */
  listen(onChange: () => void): () => void;
};

/** Drops of a folder that are kept; of a folder with tens of thousands, a page shows only the first. */
const MOST_KEPT = 100;

const NONE: FolderWait = { drops: [], total: 0 };

export function openWaitingDrops(): WaitingDrops {
  const folders = new Map<string, FolderWait>();
  const listeners = new Set<() => void>();
  const of = (folderId: string) => folders.get(folderId) ?? NONE;
  const put = (folderId: string, wait: FolderWait) => {
    const isSame = JSON.stringify(wait) === JSON.stringify(of(folderId));
    folders.set(folderId, wait);
    if (!isSame) for (const onChange of listeners) onChange();
  };
  const waiting: { -readonly [Part in keyof WaitingDrops]: WaitingDrops[Part] } = {
    isShown: false,
    isFollowed: false,
    show: () => {
      waiting.isShown = true;
    },
    follow: () => {
      waiting.isFollowed = true;
    },
    note: (folderId, { settled, settling, unmarked }) => {
      const whole = settled.slice(0, MOST_KEPT).map(({ name, sinceMs }) => ({ name, sinceMs, isWhole: true }));
      const drops = [...whole, ...settling.slice(0, MOST_KEPT), ...unmarked.slice(0, MOST_KEPT)].slice(0, MOST_KEPT);
      const total = settled.length + settling.length + unmarked.length;
      put(folderId, { ...of(folderId), drops, total });
    },
    noteStop: (folderId, stop) => {
      const { drops, total } = of(folderId);
      put(folderId, { drops, total, ...(stop !== undefined && { stop }) });
    },
    noteTaken: (folderId, names) => {
      const wait = of(folderId);
      const gone = new Set(names);
      const drops = wait.drops.filter(({ name }) => !gone.has(name));
      // A run of a schedule also takes what came after the last listing.
      put(folderId, { ...wait, drops, total: Math.max(drops.length, wait.total - names.length) });
    },
    forget: (folderId) => put(folderId, NONE),
    of,
    listen: (onChange) => {
      listeners.add(onChange);
      return () => void listeners.delete(onChange);
    },
  };
  return waiting;
}
