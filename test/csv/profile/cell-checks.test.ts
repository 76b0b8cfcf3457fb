import { describe, expect, it } from 'vitest';
import { cellOrCodes, makeCell } from './support/make-cell.ts';

const CARD = '4222222222222220';
const ROUTING = '021000021';

describe('a number', () => {
  it.each([
    [{}, CARD, CARD],
    [{}, '4222 2222 2222 2220', 'it has blanks or dashes, which the profile does not take out'],
    [{ strip: ['space'] }, '4222\u00a02222\u202f2222 2220', CARD],
    [{ strip: ['space'] }, '4222-2222-2222-2220', 'it has blanks or dashes, which the profile does not take out'],
    [{ strip: ['space', 'dash'] }, '4222-2222\u20132222 2220', CARD],
    [{ strip: ['space', 'dash'] }, '************2220', 'it holds something other than digits'],
    [{ strip: ['space', 'dash'] }, '--', 'it holds something other than digits'],
    [{ digits: '13..19' }, CARD, CARD],
    [{ digits: 15 }, CARD, 'it has 16 digits, and the profile wants 15'],
    [{ digits: '4..15' }, CARD, 'it has 16 digits, and the profile wants 4 to 15'],
    [{ check: 'luhn' }, CARD, CARD],
    [{ check: 'luhn' }, '4222222222222221', 'its check digit is wrong'],
    [{ excelText: 'accept', strip: ['space'] }, '="4222 2222 2222 2220"', CARD],
    [{ shape: { starts: ['4'], length: 16 } }, CARD, CARD],
  ])('by %j is made of %s: %s', (keys, cell, expected) => {
    const { made, faults } = makeCell('cardNumber', { from: 'a', ...keys }, { a: cell });
    expect(made || faults[0]?.detail).toBe(expected);
    expect(faults.every(({ code }) => code === 'DIGIT_COUNT')).toBe(true);
  });

  it.each([
    ['4.22222E+15', 'SPREADSHEET_DAMAGE'],
    ['="4222222222222220"', 'SPREADSHEET_DAMAGE'],
    ['', 'CELL_EMPTY'],
  ])('shows damage of %j before anything is taken out', (cell, expected) => {
    expect(cellOrCodes('cardNumber', { from: 'a', strip: ['space', 'dash'] }, { a: cell })).toBe(expected);
  });

  it('never shows its cell', () => {
    for (const cell of ['4222 2222x', '4222 2222 2222 2220', '42222222']) {
      const { faults } = makeCell('cardNumber', { from: 'a', digits: 16, shape: { starts: ['5'] } }, { a: cell });
      expect(faults).toHaveLength(1);
      expect(faults[0]?.detail).not.toMatch(/42/);
    }
  });
});

describe('a joined account number', () => {
  const join = [
    { from: 'a', digits: 9, check: 'aba' },
    { from: 'b', digits: '4..17' },
  ];

  it.each([
    [ROUTING, '40000000', `${ROUTING}40000000`],
    [ROUTING, '0004', `${ROUTING}0004`],
    ['02100002', '40000000', 'DIGIT_COUNT'],
    ['021000022', '40000000', 'DIGIT_COUNT'],
    ['000000000', '40000000', 'DIGIT_COUNT'],
    ['40000000', ROUTING, 'DIGIT_COUNT'],
    [ROUTING, '', 'CELL_EMPTY'],
    ['', '', 'CELL_EMPTY CELL_EMPTY'],
    [ROUTING, '4000 0000', 'DIGIT_COUNT'],
  ])('is made of %s and %s as %s', (a, b, expected) => {
    expect(cellOrCodes('accountNumber', { join }, { a, b })).toBe(expected);
  });

  it('pads nothing, strips each part and checks the whole', () => {
    const rule = { join: [{ text: '0' }, ...join], strip: ['dash'], digits: '18..20' };
    expect(cellOrCodes('accountNumber', rule, { a: '021-000-021', b: '40-000000' })).toBe(`0${ROUTING}40000000`);
    expect(cellOrCodes('accountNumber', rule, { a: ROUTING, b: '4000' })).toBe('DIGIT_COUNT');
  });

  it('wants nine digits of a routing number without a count', () => {
    const rule = { join: [{ from: 'a', check: 'aba' }, { from: 'b' }] };
    expect(cellOrCodes('accountNumber', rule, { a: `${ROUTING}4`, b: '0000' })).toBe('DIGIT_COUNT');
    expect(cellOrCodes('accountNumber', { from: 'a', check: 'aba' }, { a: `${ROUTING}4` })).toBe(`${ROUTING}4`);
  });
});
