import { describe, expect, it } from 'vitest';
import { byNumber, counted } from '../../src/kernel/counted.ts';

describe('counted', () => {
  it.each([
    [1, 'row', '1 row'],
    [0, 'row', '0 rows'],
    [2, 'result row', '2 result rows'],
    [-1, 'row', '-1 rows'],
    [1, 'open batch', '1 open batch'],
    [3, 'open batch', '3 open batches'],
    [2, 'process', '2 processes'],
  ])('says %s %s as %s', (count, noun, words) => {
    expect(counted(count, noun)).toBe(words);
  });
});

describe('byNumber', () => {
  it('takes the first word for one and the second for every other count', () => {
    expect([0, 1, 2].map((count) => byNumber(count, 'is', 'are'))).toEqual(['are', 'is', 'are']);
  });
});
