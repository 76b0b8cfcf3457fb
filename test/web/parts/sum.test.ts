import { describe, expect, it } from 'vitest';
import { Sum } from '../../../src/web/parts/words.tsx';
import { draw, wordsOf } from '../support/page-words.ts';

describe('Sum', () => {
  it.each([
    [{ rows: 1_200, cents: 3_000_000 }, 'USD', '1,200 rows, 30,000.00 USD'],
    [{ rows: 1, cents: -5 }, 'CAD', '1 row, -0.05 CAD'],
    [{ rows: 0, cents: 0 }, undefined, '0 rows, 0.00'],
  ])('of %j in %s says "%s"', (of, currency, words) => {
    expect(wordsOf(draw(Sum, { of, currency }))).toBe(words);
  });
});
