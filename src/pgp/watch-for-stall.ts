import type { Readable } from 'node:stream';

/** What reads a source tells after each piece that it has made of it. */
export type NoteProgress = () => void;

export type StallWatch = {
  /** What is in the source. */
  readonly pieces: AsyncGenerator<Uint8Array>;
  readonly note: NoteProgress;
  /** What comes of work with the pieces; fails when the library makes nothing of them any more while it is waited for. */
  within<Result>(work: Promise<Result>): Promise<Result>;
};

/** Longest time that the library may go on with what it was given before it is given up, in ms. */
export const STALL_MS = 20_000;

/**
 * Has a source read by the library, and fails when that comes to no end: on some damaged messages it waits for itself for
 * ever, and one such file would keep all others from being read. The time that the source takes does not count, so that a
 * slow disk is never taken for a damaged message; nor does the time in which nobody asks for more.
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
        giveUp = () => reject(new Error(`nothing came of the message within ${stallMs} ms`));
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
