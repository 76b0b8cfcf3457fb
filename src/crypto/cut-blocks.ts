/** Cuts bytes that arrive in pieces of any size into blocks of one size, and always keeps the latest block back. */
export type BlockCutter = {
  /**
   * Gives the full blocks after which more bytes have come, so none of them is the last. A block is overwritten by the
   * next one: use it before asking for that.
   */
  add(bytes: Uint8Array): Generator<Buffer>;
  /** What was kept back: the last block, full or not, or nothing when nothing came. */
  rest(): Buffer;
};

/** Holds one block of memory, however much passes through; every byte is copied once. */
export function cutBlocks(blockBytes: number): BlockCutter {
  const block = Buffer.alloc(blockBytes);
  let filled = 0;
  return {
    *add(bytes) {
      let taken = 0;
      while (taken < bytes.length) {
        if (filled === blockBytes) {
          yield block;
          filled = 0;
        }
        const piece = bytes.subarray(taken, taken + blockBytes - filled);
        block.set(piece, filled);
        filled += piece.length;
        taken += piece.length;
      }
    },
    rest: () => block.subarray(0, filled),
  };
}
