import { describe, expect, it } from 'vitest';
import { cellOrCodes, makeCell } from './support/make-cell.ts';

const NUMBER = { decimal: '.', group: ',' };

describe('an amount as written', () => {
  it.each([
    ['as-written', '1,200.00', '1200.00'],
    ['as-written', ' 25.00 ', '25.00'],
    ['as-written', '-25.00', '-25.00'],
    ['negate', '-25.00', '25.00'],
    ['negate', '25.00', '-25.00'],
    ['negate', '0.00', '0.00'],
    ['as-written', '', 'CELL_EMPTY'],
    ['as-written', '1.2E+03', 'SPREADSHEET_DAMAGE'],
    ['as-written', '12-Dec', 'SPREADSHEET_DAMAGE'],
    ['as-written', '25.\u200b00', 'HIDDEN_CHARACTER'],
  ])('with sign: %s is made of %j: %s', (sign, cell, expected) => {
    expect(cellOrCodes('amount', { from: 'a', number: NUMBER, sign }, { a: cell })).toBe(expected);
  });
});

describe('an amount with its sign in a word', () => {
  const rule = { from: 'a', number: NUMBER, sign: { by: 'b', positive: ['Dr', '27'], negative: ['Cr', ''] } };

  it.each([
    ['25.00', 'Dr', '25.00'],
    ['25.00', ' DR', '25.00'],
    ['25.00', 'cr', '-25.00'],
    ['25.00', '', '-25.00'],
    ['25.00', 'CR.', 'WORD_UNLISTED'],
    ['-25.00', 'Dr', 'SIGN_TWICE'],
    ['(25.00)', 'Cr', 'SIGN_TWICE'],
    ['25', 'x', 'NUMBER_FORMAT WORD_UNLISTED'],
    ['', 'Dr', 'CELL_EMPTY'],
  ])('is made of %j and %j: %s', (a, b, expected) => {
    expect(cellOrCodes('amount', rule, { a, b })).toBe(expected);
  });

  it('names the title of the word', () => {
    expect(makeCell('amount', rule, { a: '25.00', b: 'CR.' }).faults).toEqual([
      { code: 'WORD_UNLISTED', title: 'b', detail: '"CR."' },
    ]);
  });
});

describe('an amount in two columns', () => {
  const rule = { positive: 'a', negative: 'b', number: NUMBER, nothing: ['', '0.00', 'nil'] };

  it.each([
    ['1,020.00', '', '1020.00'],
    ['', '25.00', '-25.00'],
    ['25.00', '0.00', '25.00'],
    ['Nil ', '25.00', '-25.00'],
    ['25.00', '1.00', 'BOTH_AMOUNTS'],
    ['0.00', '0.00', 'BOTH_AMOUNTS'],
    ['', '', 'BOTH_AMOUNTS'],
    ['-25.00', '', 'SIGN_TWICE'],
    ['', '(25.00)', 'SIGN_TWICE'],
    ['', '25', 'NUMBER_FORMAT'],
    ['25.00', '-', 'BOTH_AMOUNTS'],
    ['25.00', '#REF!', 'SPREADSHEET_DAMAGE'],
  ])('is made of %j and %j: %s', (a, b, expected) => {
    expect(cellOrCodes('amount', rule, { a, b })).toBe(expected);
  });

  it('says which column is wrong, and whether both are filled', () => {
    expect(makeCell('amount', rule, { a: '', b: '25' }).faults).toMatchObject([{ title: 'b' }]);
    expect(makeCell('amount', rule, { a: '1.00', b: '1.00' }).faults).toMatchObject([{ detail: 'both are filled' }]);
    expect(makeCell('amount', rule, { a: '', b: '' }).faults).toMatchObject([{ detail: 'neither is filled' }]);
  });

  it('takes only an empty cell for nothing if the profile lists none', () => {
    const { nothing: _nothing, ...plain } = rule;
    expect(cellOrCodes('amount', plain, { a: '25.00', b: '' })).toBe('25.00');
    expect(cellOrCodes('amount', plain, { a: '25.00', b: '0.00' })).toBe('BOTH_AMOUNTS');
  });
});
