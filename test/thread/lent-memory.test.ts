import { expect, it } from 'vitest';
import { ITEMS_AHEAD, lentMemory } from '../../src/thread/lent-memory.ts';

it('lentMemory gives memory that threads share, and none again before as many others as may be under way', () => {
  const lend = lentMemory();
  const sizes = [1_000, 1_100, 900, 1_000, 5_000, 1, 6_000];
  const pieces = sizes.map((size) => lend(size));
  expect(pieces.map((piece) => piece.length)).toEqual(sizes);
  for (const [index, { buffer }] of pieces.entries()) {
    expect(buffer).toBeInstanceOf(SharedArrayBuffer);
    for (const other of pieces.slice(index + 1, index + ITEMS_AHEAD)) expect(other.buffer).not.toBe(buffer);
  }
  // The third fits into the first, and the fifth into neither.
  expect(pieces[2]!.buffer).toBe(pieces[0]!.buffer);
  expect(pieces[4]!.buffer).not.toBe(pieces[2]!.buffer);
});
