import { describe, expect, it } from 'vitest';
import { KeyedHash } from '../../src/rows/keyed-hash.ts';

function hashes(key: [number, number], lists: (string | number)[][]): string[] {
  const hasher = new KeyedHash(Uint32Array.from(key));
  const hash = new Uint32Array(2);
  return lists.map((pieces) => {
    for (const piece of pieces) {
      const bytes = Buffer.from(`--${piece}`);
      if (typeof piece === 'string') hasher.takeBytes(bytes, 2, bytes.length);
      else hasher.takeNumber(piece);
    }
    hasher.finish(hash, 0);
    return hash.join(' ');
  });
}

describe('KeyedHash', () => {
  it('gives the same pieces the same hash, and with another key another', () => {
    expect(hashes([1, 2], [['abc'], ['x'], ['abc']])).toEqual([
      ...hashes([1, 2], [['abc'], ['x']]),
      ...hashes([1, 2], [['abc']]),
    ]);
    expect(hashes([1, 2], [['abc']])).not.toEqual(hashes([1, 3], [['abc']]));
    expect(hashes([1, 2], [['abc']])).not.toEqual(hashes([2, 2], [['abc']]));
  });

  it('tells pieces apart that differ in length, order, or only in their last byte', () => {
    const texts = ['', '\0', '\0\0', 'a', 'a\0', 'ab', 'ba', 'abc', 'abd', '山', 'abcdefgh1', 'abcdefgh2'];
    expect(
      new Set(
        hashes(
          [7, 9],
          texts.map((text) => [text]),
        ),
      ).size,
    ).toBe(texts.length);
    const lists = [['ab', 'c'], ['a', 'bc'], ['abc', ''], ['', 'abc'], ['abc'], ['c', 'ab'], ['a', 'b', 'c']];
    expect(new Set(hashes([7, 9], lists)).size).toBe(lists.length);
  });

  it('tells numbers apart, also such of more than 32 bits and of either sign', () => {
    const numbers = [0, 1, -1, 2 ** 31, -(2 ** 31), 2 ** 32, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER, 5, -5];
    expect(
      new Set(
        hashes(
          [7, 9],
          numbers.map((number) => [number]),
        ),
      ).size,
    ).toBe(numbers.length);
  });

  it('takes pieces of any length to their last byte, and short ones after them', () => {
    const long = 'x'.repeat(50_000);
    const [one, other, short] = hashes([7, 9], [[long, 1], [`${long.slice(1)}y`, 1], ['x']]);
    expect(one).not.toBe(other);
    expect([short]).toEqual(hashes([7, 9], [['x']]));
  });

  it('gives the same from one release to the next, for the ledger keeps what is made of it', () => {
    expect(hashes([7, 9], [['INV-7', 2_500]])).toEqual(['1242741018 2822732180']);
  });

  it('spreads over all bits of its two words', () => {
    const hasher = new KeyedHash(Uint32Array.of(123, 456));
    const hash = new Uint32Array(4);
    const ones = Array<number>(64).fill(0);
    for (let count = 0; count < 4_000; count += 1) {
      const bytes = Buffer.from(`INV-${count}`);
      hasher.takeBytes(bytes, 0, bytes.length);
      hasher.takeNumber(2_500);
      hasher.finish(hash, 2);
      ones.forEach((_, bit) => (ones[bit]! += (hash[2 + (bit >> 5)]! >>> (bit & 31)) & 1));
    }
    // Each bit is set in half of the hashes; 200 of 4,000 is over six times the usual deviation.
    expect(ones.filter((count) => Math.abs(count - 2_000) > 200)).toEqual([]);
    expect([...hash.subarray(0, 2)]).toEqual([0, 0]);
  });
});
