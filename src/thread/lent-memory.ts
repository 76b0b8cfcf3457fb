/** How many items a thread may make before the first is taken: one is in transit while the next is made. */
export const ITEMS_AHEAD = 2;

/**
 * Returns memory for the bytes of items, visible to both threads. A few buffers take turns, so each is overwritten only
 * after its item was taken. Take at most one buffer per item.
 *
 * Transferring bytes would cost more. Once any memory was taken from a thread, V8 checks every access to any byte array
 * there, for the rest of its life. Everything that reads bytes then takes a fifth longer.
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

/** Items have similar sizes, so the first buffer mostly fits them all. */
const ROOM = 1.25;
