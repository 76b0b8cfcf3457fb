import type { Readable } from 'node:stream';

/** What reads a source tells after each piece that it has made of it. */
export type NoteProgress = () => void;

/** Longest time that the library may go on with what it was given before it is given up, in ms. */
export const STALL_MS = 20_000;

/**
 * Has a source read by the library, and fails when that comes to no end: on some damaged messages it waits for itself for
 * ever, and one such file would keep all others from being read. The time that the source takes does not count, so that a
 * slow disk is never taken for a damaged message.
 */
export async function unlessStalled<Result>(
  source: Readable,
  stallMs: number,
  read: (pieces: AsyncGenerator<Uint8Array>, note: NoteProgress) => Promise<Result>,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  let isWaiting = false;
  let giveUp: (reason: Error) => void;
  const stalled = new Promise<never>((_, reject) => {
    giveUp = reject;
  });
  const note = () => {
    clearTimeout(timer);
    if (isWaiting) return;
    timer = setTimeout(() => giveUp(new Error(`nothing came of the message within ${stallMs} ms`)), stallMs);
  };
  const setWaiting = (waits: boolean) => {
    isWaiting = waits;
    note();
  };
  async function* pieces(): AsyncGenerator<Uint8Array> {
    setWaiting(true);
    for await (const piece of source) {
      setWaiting(false);
      yield piece as Uint8Array;
      setWaiting(true);
    }
    setWaiting(false);
  }
  try {
    return await Promise.race([read(pieces(), note), stalled]);
  } finally {
    clearTimeout(timer);
  }
}
