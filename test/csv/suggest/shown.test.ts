import { describe, expect, it } from 'vitest';
import { shownDate } from '../../../src/csv/suggest/shown.ts';

describe('shownDate', () => {
  it.each(['06/15/2026', '6.5.26', '2026-06-15', '12/2035', '12/35', '1235', '2035-12', '15 Jun 2026'])(
    'shows %s whole',
    (date) => expect(shownDate(` ${date} `)).toBe(date),
  );

  it.each([
    ['4222 2222 2222 2220', '***************2220'],
    ['4222222222222220', '************2220'],
    ['40000000', '****0000'],
    ['06/15\u202e', '06/15U+202E'],
  ])('shows %j as %s, because a wrong column may be looked at', (cell, shown) => {
    expect(shownDate(cell)).toBe(shown);
  });
});
