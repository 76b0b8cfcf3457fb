import { describe, expect, it } from 'vitest';
import { cellOrCodes, makeCell } from './support/make-cell.ts';

const CARD = '4222222222222220';

describe('a word', () => {
  const words = { Visa: 'VISA', MasterCard: 'MC', 'Cr\u00e9dit': 'DSC' };

  it.each([
    ['Visa', 'VISA'],
    ['MASTERCARD', 'MC'],
    ['Mastercard ', 'MC'],
    ['Cre\u0301dit', 'DSC'],
    ['Diners', 'WORD_UNLISTED'],
    ['constructor', 'WORD_UNLISTED'],
    ['Master Card', 'WORD_UNLISTED'],
    ['', 'CELL_EMPTY'],
  ])('%j is sent as %s', (cell, expected) => {
    expect(cellOrCodes('mop', { from: 'a', words }, { a: cell })).toBe(expected);
  });

  it('may be empty where that is listed', () => {
    expect(cellOrCodes('accountType', { from: 'a', words: { '': 'CHECKING' } }, { a: ' ' })).toBe('CHECKING');
  });

  it.each([
    ['Diners', '"Diners"'],
    [CARD, '"************2220"'],
    [`${'x'.repeat(25)}${CARD}`, `"${'x'.repeat(25)}************22\u2026"`],
    [`${'x'.repeat(30)}${CARD}`, `"${'x'.repeat(30)}*********\u2026"`],
    ['\u{1f4b3}'.repeat(50), `"${'\u{1f4b3}'.repeat(39)}\u2026"`],
  ])('that is not listed, %s, is shown as %s', (cell, detail) => {
    expect(makeCell('mop', { from: 'a', words }, { a: cell }).faults).toEqual([
      { code: 'WORD_UNLISTED', title: 'a', detail },
    ]);
  });
});
