import { describe, expect, it } from 'vitest';
import { median, medianRatio, percentile } from '../../../bench/measure/statistics.ts';

describe('median', () => {
  it.each([
    [[3], 3],
    [[9, 1, 5], 5],
    [[4, 1, 3, 2], 2.5],
    [[1, 1, 1, 100], 1],
  ])('of %j is %d', (values, middle) => {
    expect(median(values)).toBe(middle);
  });

  it('of nothing is no number, and leaves its values in their order', () => {
    expect(median([])).toBeNaN();
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });
});

describe('medianRatio', () => {
  it('compares what belongs to one round, so that a machine that drifts does not count', () => {
    // The machine is about four times slower in the last round; the second list is twice as fast in each.
    expect(medianRatio([2, 2.2, 8], [1, 1.1, 4])).toBe(2);
  });

  it('wants the same rounds on both sides', () => {
    expect(() => medianRatio([1, 2], [1])).toThrow('same rounds');
  });
});

describe('percentile', () => {
  it.each([
    [0.5, 50],
    [0.99, 99],
    [1, 100],
    [0, 1],
  ])('%d of the numbers to 100 is %d', (share, value) => {
    expect(
      percentile(
        Array.from({ length: 100 }, (_, index) => 100 - index),
        share,
      ),
    ).toBe(value);
  });
});
