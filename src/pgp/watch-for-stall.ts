import type { Readable } from 'node:stream';

/** The reader of a source calls this after each piece it has processed. */
export type NoteProgress = () => void;

export type StallWatch = {
  /** The bytes of the source. */
  readonly pieces: AsyncGenerator<Uint8Array>;
  readonly note: NoteProgress;
  /** Awaits work on the pieces; fails when the library makes no progress on them meanwhile. */
  within<Result>(work: Promise<Result>): Promise<Result>;
};

/** Longest time without progress before the library is given up, in ms. */
export const STALL_MS = 20_000;

/**
 * Lets the library read a source and fails when that never ends. On some damaged messages the library waits for itself
 * forever, and one such file would block all others. Time spent in the source does not count, so a slow disk never
 * passes for a damaged message. Neither does time in which the caller requests nothing.
 */
export function watchForStall(source: Readable, stallMs: number): StallWatch {
  let timer: NodeJS.Timeout | undefined;
  let isSourceBusy = false;
  let giveUp: (() => void) | undefined;
  const note = () => {
    clearTimeout(timer);
    if (giveUp && !isSourceBusy) timer = setTimeout(giveUp, stallMs);
  };
  const setSourceBusy = (isBusy: boolean) => {
    isSourceBusy = isBusy;
    note();
  };
  async function* readPieces(): AsyncGenerator<Uint8Array> {
    setSourceBusy(true);
    for await (const piece of source) {
      setSourceBusy(false);
      yield piece as Uint8Array;
      setSourceBusy(true);
    }
    setSourceBusy(false);
  }
  return {
    pieces: readPieces(),
    note,
    within: async (work) => {
      const stalled = new Promise<never>((_, reject) => {
        giveUp = () => reject(new Error(`the message gave no data within ${stallMs} ms`));
      });
      note();
      try {
        return await Promise.race([work, stalled]);
      } finally {
        giveUp = undefined;
        clearTimeout(timer);
      }
    },
  };
}
