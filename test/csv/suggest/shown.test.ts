import { describe, expect, it } from 'vitest';
import { shownCell, shownCode, shownDate } from '../../../src/csv/suggest/shown.ts';

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

describe('shownCell', () => {
  it.each(['2026-06-15', '15.06.2026', '6/5/2026', '2026/1/31'])('shows the day %s whole', (day) =>
    expect(shownCell(` ${day} `)).toBe(day),
  );

  it.each([
    ['20260615', '****0615'],
    ['12-34-56', '******56'],
    ['1234-56-78', '*****56*78'],
    ['2026-06-15-20', '********15*20'],
    ['2026.99.15', '****.99.15'],
  ])('shows %s as %s, because it may be a number', (cell, shown) => {
    expect(shownCell(cell)).toBe(shown);
  });
});

describe('shownCode', () => {
  it.each(['BK20260101', 'INV-2026-0042', 'a1'])('shows %s whole', (code) => expect(shownCode(code)).toBe(code));

  it.each([
    ['20260101', '****0101'],
    ['A12345678901', 'A*******8901'],
    ['DE89370400440532013000', 'DE****************3000'],
    ['Account 40000000', 'Account ****0000'],
  ])('shows %s as %s', (code, shown) => expect(shownCode(code)).toBe(shown));
});
