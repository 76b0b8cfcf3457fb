import { describe, expect, it } from 'vitest';
import { duplicateRows } from '../../src/csv/duplicate-rows.ts';

describe('duplicateRows', () => {
  it('names the first line of a payment each time it comes again', () => {
    const { findFirstLine } = duplicateRows();
    expect(findFirstLine('a', 2)).toBeUndefined();
    expect(findFirstLine('b', 3)).toBeUndefined();
    expect(findFirstLine('a', 4)).toBe(2);
    expect(findFirstLine('a', 5)).toBe(2);
    expect(findFirstLine('b', 6)).toBe(3);
  });

  it('forgets nothing and invents nothing as it grows', () => {
    const { findFirstLine } = duplicateRows();
    const count = 20_000;
    const first = Array.from({ length: count }, (_, index) => findFirstLine(`INV-${index}`, index + 1));
    expect(first.filter((line) => line !== undefined)).toEqual([]);
    const again = Array.from({ length: count }, (_, index) => findFirstLine(`INV-${index}`, count + index + 1));
    expect(again.filter((line, index) => line !== index + 1)).toEqual([]);
  });

  it('starts empty for each file', () => {
    duplicateRows().findFirstLine('a', 1);
    expect(duplicateRows().findFirstLine('a', 1)).toBeUndefined();
  });
});
