import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutBlocks } from '../../src/crypto/seal-stream.ts';

describe('cutBlocks', () => {
  it('gives full blocks while more is to come, and the rest at the end', () => {
    const someBytes = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 12 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), someBytes, (size, pieces) => {
        const all = Buffer.concat(pieces);
        const cutter = cutBlocks(size);
        const blocks = pieces.flatMap((piece) => Array.from(cutter.add(piece), (block) => Buffer.from(block)));
        expect(Buffer.concat([...blocks, cutter.rest()])).toEqual(all);
        expect(blocks.every((block) => block.length === size)).toBe(true);
        expect(cutter.rest().length > 0).toBe(all.length > 0);
      }),
    );
  });

  it.each([
    [0, 0, 0],
    [3, 0, 3],
    [4, 0, 4],
    [5, 1, 1],
    [8, 1, 4],
    [9, 2, 1],
  ])('keeps the latest block back: %i bytes in blocks of 4 give %i and keep %i', (length, given, kept) => {
    const cutter = cutBlocks(4);
    expect([...cutter.add(Buffer.alloc(length))]).toHaveLength(given);
    expect(cutter.rest()).toHaveLength(kept);
  });
});
