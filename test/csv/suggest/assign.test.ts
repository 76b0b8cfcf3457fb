import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assign } from '../../../src/csv/suggest/assign.ts';

/** Tries all ways to give each row its own column. */
function greatest(scores: readonly (readonly number[])[], used: readonly number[] = []): number {
  const row = scores[used.length];
  if (!row) return 0;
  const sums = row.flatMap((score, column) =>
    used.includes(column) ? [] : [score + greatest(scores, [...used, column])],
  );
  return Math.max(...sums);
}

it('gives each row its own column with the greatest sum', () => {
  const tables = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 2 })).chain(([rows, more]) =>
    fc.array(fc.array(fc.integer({ min: -5, max: 10 }), { minLength: rows + more, maxLength: rows + more }), {
      minLength: rows,
      maxLength: rows,
    }),
  );
  fc.assert(
    fc.property(tables, (scores) => {
      const places = assign(scores);
      expect(new Set(places).size).toBe(scores.length);
      expect(places.reduce((sum, place, row) => sum + scores[row]![place]!, 0)).toBe(greatest(scores));
    }),
  );
});
