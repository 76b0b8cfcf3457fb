import { describe, expect, it } from 'vitest';
import { keyedHash } from '../../src/csv/keyed-hash.ts';

function hashes(key: [number, number], texts: string[]): string[] {
  const hashText = keyedHash(Uint32Array.from(key));
  const hash = new Uint32Array(2);
  return texts.map((text) => {
    hashText(text, hash);
    return hash.join(' ');
  });
}

describe('keyedHash', () => {
  it('gives the same text the same hash, and with another key another', () => {
    expect(hashes([1, 2], ['abc', 'x', 'abc'])).toEqual([...hashes([1, 2], ['abc', 'x']), ...hashes([1, 2], ['abc'])]);
    expect(hashes([1, 2], ['abc'])).not.toEqual(hashes([1, 3], ['abc']));
    expect(hashes([1, 2], ['abc'])).not.toEqual(hashes([2, 2], ['abc']));
  });

  it('tells texts apart that differ in length, order, or only in their last character', () => {
    const texts = ['', '\0', '\0\0', 'a', 'a\0', 'ab', 'ba', 'abc', 'abd', '山', 'abcdefgh1', 'abcdefgh2'];
    expect(new Set(hashes([7, 9], texts)).size).toBe(texts.length);
  });

  it('spreads over all bits of both words', () => {
    const hashText = keyedHash(Uint32Array.of(123, 456));
    const hash = new Uint32Array(2);
    const ones = Array<number>(64).fill(0);
    for (let count = 0; count < 4_000; count += 1) {
      hashText(`INV-${count}\n2500`, hash);
      ones.forEach((_, bit) => (ones[bit]! += ((hash[bit >> 5] ?? 0) >>> (bit & 31)) & 1));
    }
    // Each bit is set in half of the hashes; 200 of 4,000 is more than six times the usual deviation.
    expect(ones.filter((count) => Math.abs(count - 2_000) > 200)).toEqual([]);
  });
});
