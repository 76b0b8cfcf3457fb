import { describe, expect, it } from 'vitest';
import { csvCell, guardNumber, payersWords, quoteCell } from '../../../src/sandbox/reports/csv-cell.ts';

describe('csvCell', () => {
  it.each([
    ['INV-1', 'INV-1'],
    ['', ''],
    ['=1+1', '=1+1'],
    ['a,b', '"a,b"'],
    ['a"b', '"a""b"'],
    ['a\r\nb', 'a b'],
    ['a\u0000\u2028b', 'a b'],
  ])('writes %j as %j', (text, cell) => {
    expect(csvCell(text)).toBe(cell);
  });
});

describe('quoteCell', () => {
  it.each([
    ['Ada', '"Ada"'],
    ['', '""'],
    ['A "B", C\nD', '"A ""B"", C D"'],
  ])('writes %j as %j', (text, cell) => {
    expect(quoteCell(text)).toBe(cell);
  });
});

describe('guardNumber', () => {
  it.each([
    ['4***********2220', "'4***********2220"],
    ['', ''],
  ])('writes %j as %j', (text, cell) => {
    expect(guardNumber(text)).toBe(cell);
  });
});

describe('payersWords', () => {
  it.each([
    ['Ada', 'Ada'],
    ["O'Byron-Smith", "O'Byron-Smith"],
    ['=HYPERLINK("x")', '\'=HYPERLINK("x")'],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM', "'@SUM"],
    ['\t=1', "'\t=1"],
    ['Ada\\', 'Ada/'],
  ])('keeps %j from running: %j', (text, words) => {
    expect(payersWords(text)).toBe(words);
  });
});
