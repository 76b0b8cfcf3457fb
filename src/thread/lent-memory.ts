/** How many items a thread may make before the first is taken: one is on its way while the next is made. */
export const ITEMS_AHEAD = 2;

/**
 * Memory for the bytes of items, which both threads see: a few pieces in turn, so each is written over only when its item
 * was taken. Take at most one piece for an item.
 *
 * Bytes could change hands instead. But once any memory was taken away from a thread, V8 asks at every access to any
 * array of bytes whether it is still there, for the rest of the life of that thread, and all that reads bytes takes a
 * fifth longer.
 */
export function lentMemory(): (bytes: number) => Uint8Array {
  const pieces = Array.from({ length: ITEMS_AHEAD }, (): Uint8Array => new Uint8Array(0));
  let turn = 0;
  return (bytes) => {
    turn = (turn + 1) % ITEMS_AHEAD;
    if (pieces[turn]!.length < bytes) pieces[turn] = new Uint8Array(new SharedArrayBuffer(Math.ceil(bytes * ROOM)));
    return pieces[turn]!.subarray(0, bytes);
  };
}

/** Items are of about one size, so the first piece mostly does for all. */
const ROOM = 1.25;
