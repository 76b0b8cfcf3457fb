/** A cutter that turns pieces of any size into blocks of one size, and always keeps the latest block back. */
export type BlockCutter = {
  /**
   * Yields the full blocks that more bytes have followed, so none of them is the last. A block is overwritten by the
   * next: use it before asking for that.
   */
  add(bytes: Uint8Array): Generator<Buffer>;
  /** Returns the block kept back: the last one, full or not, or an empty one when nothing came. */
  rest(): Buffer;
};

/** Makes a cutter. It holds one block in memory, whatever passes through, and copies every byte once. */
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
