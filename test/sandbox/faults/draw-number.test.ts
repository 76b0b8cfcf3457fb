import { describe, expect, it } from 'vitest';
import { drawNumber } from '../../../src/sandbox/faults/plan-faults.ts';

describe('drawNumber', () => {
  it('draws the same for the same seed and place, and another otherwise', () => {
    expect(drawNumber(7, 1)).toBe(drawNumber(7, 1));
    expect(drawNumber(7, 1)).not.toBe(drawNumber(7, 2));
    expect(drawNumber(7, 1)).not.toBe(drawNumber(8, 1));
    // Seed and place are separate.
    expect(drawNumber(1, 12)).not.toBe(drawNumber(11, 2));
  });

  it('draws from 0 to below 1, evenly', () => {
    const drawn = Array.from({ length: 4000 }, (_, n) => drawNumber(1, n));
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...drawn)).toBeLessThan(1);
    for (const from of [0, 0.25, 0.5, 0.75]) {
      const share = drawn.filter((number) => number >= from && number < from + 0.25).length / drawn.length;
      expect(share).toBeGreaterThan(0.22);
      expect(share).toBeLessThan(0.28);
    }
  });
});
