import { expect, it } from 'vitest';
import { VOLUME_BYTES, volumeBytes } from '../../src/ledger/volume-bytes.ts';

it('volumeBytes follow each other as their numbers do', () => {
  const numbers = [1, 2, 255, 256, 65_536, 2 ** 31, 2 ** 32 - 1];
  const sorted = numbers.map(volumeBytes).toSorted(Buffer.compare);
  expect(sorted.map((bytes) => bytes.readUInt32BE())).toEqual(numbers);
  expect(sorted.every((bytes) => bytes.length === VOLUME_BYTES)).toBe(true);
});
