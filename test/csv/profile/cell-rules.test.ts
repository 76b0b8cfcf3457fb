import { describe, expect, it } from 'vitest';
import { columnsOf } from '../../../schemas/layouts.ts';
import { Profile } from '../../../schemas/profiles.ts';
import { amountReader, compileCells } from '../../../src/csv/profile/cell-rules.ts';
import { cellOrCodes, makeCell, profileOf } from './support/make-cell.ts';

const CARD = '4222222222222220';

describe('compileCells', () => {
  const profile = Profile.parse({
    layout: 'card-code',
    read: { charset: 'utf-8', separator: 'comma' },
    head: { titles: ['Code', 'No', 'Sum', 'Memo'] },
    columns: {
      invoice: { from: 'No' },
      customerCode: { from: 'Code' },
      amount: { from: 'Sum', number: { decimal: '.' }, sign: 'as-written' },
      comment: { from: 'Memo', empty: 'keep' },
    },
  });
  const placeOf = (title: string | number) => ['Code', 'No', 'Sum', 'Memo'].indexOf(String(title));

  it('makes cells in the order of the layout', () => {
    const make = compileCells(profile, placeOf);
    expect(make(['C-1', '1001', '25.00', 'June, or July'], () => expect.unreachable())).toEqual([
      '1001',
      'C-1',
      '25.00',
      'June, or July',
    ]);
  });

  it('reports each cell that does not fit, makes it empty, and makes the others', () => {
    const reports: unknown[] = [];
    const make = compileCells(profile, placeOf);
    expect(make(['', '1001', '25', ''], (...report) => reports.push(report))).toEqual(['1001', '', '', '']);
    expect(reports).toEqual([
      ['CELL_EMPTY', 'Code', undefined],
      ['NUMBER_FORMAT', 'Sum', 'it has no decimals, and the profile does not take whole numbers'],
    ]);
  });

  it('reports a title once that feeds two columns', () => {
    const split = { from: 'Name', split: ', ', of: 2 };
    const named = Profile.parse({
      ...profileOf('firstName', { ...split, part: 2 }),
      layout: 'ach',
      columns: { ...profileOf('firstName', { ...split, part: 2 }).columns, lastName: { ...split, part: 1 } },
    });
    const codes: string[] = [];
    compileCells(named, () => 0)(['Ada Byron'], (code) => codes.push(code));
    expect(codes).toEqual(['PART_COUNT']);
  });

  it('does not read with a profile that lacks a rule', () => {
    const { amount: _amount, ...columns } = profile.columns;
    expect(() => compileCells({ ...profile, columns }, placeOf)).toThrow('a rule has no "amount"');
    expect(() => compileCells(profileOf('date', { from: 'a', format: 'MDYYYY' }), placeOf)).toThrow('"format"');
  });
});

describe('a text', () => {
  it('may be empty only where the profile keeps that', () => {
    expect(cellOrCodes('comment', { from: 'a' }, { a: '' })).toBe('CELL_EMPTY');
    expect(cellOrCodes('comment', { from: 'a', empty: 'keep' }, { a: '' })).toBe('');
    expect(cellOrCodes('comment', { value: 'Dues' }, {})).toBe('Dues');
  });

  it.each([
    ['misfit', 'Byron, Ada', 'Ada'],
    ['misfit', 'Byron Ltd', 'PART_COUNT'],
    ['misfit', 'Byron, Ada, Lady', 'PART_COUNT'],
    ['misfit', ', Ada', 'PART_COUNT'],
    ['whole', 'Byron, Ada', 'Ada'],
    ['whole', 'Byron Ltd', 'Byron Ltd'],
    ['empty', 'Byron Ltd', ''],
    ['empty', '', 'CELL_EMPTY'],
  ])('is cut with otherwise: %s from %j to %j', (otherwise, cell, expected) => {
    const rule = { from: 'a', split: ', ', part: 2, of: 2, otherwise };
    expect(cellOrCodes('lastName', rule, { a: cell })).toBe(expected);
  });

  it('is joined of cells and texts, and needs one cell', () => {
    const rule = { join: [{ from: 'a' }, { text: ' ' }, { from: 'b' }] };
    expect(cellOrCodes('lastName', rule, { a: ' Ada ', b: 'Byron' })).toBe('Ada Byron');
    expect(cellOrCodes('lastName', rule, { a: '', b: 'Byron' })).toBe('Byron');
    expect(cellOrCodes('lastName', rule, { a: '', b: '' })).toBe('CELL_EMPTY');
    expect(cellOrCodes('lastName', { ...rule, empty: 'keep' }, { a: '', b: '' })).toBe('');
    expect(cellOrCodes('lastName', rule, { a: '\u200b', b: '#REF!' })).toBe('HIDDEN_CHARACTER SPREADSHEET_DAMAGE');
  });
});

describe('an invoice', () => {
  it('is joined of cells that must all be filled', () => {
    const rule = { join: [{ from: 'a' }, { text: '-' }, { from: 'b', digits: '1..4' }] };
    expect(cellOrCodes('invoice', rule, { a: 'G', b: '77' })).toBe('G-77');
    expect(cellOrCodes('invoice', rule, { a: '', b: '77' })).toBe('CELL_EMPTY');
    expect(cellOrCodes('invoice', rule, { a: 'G', b: '77a' })).toBe('DIGIT_COUNT');
    expect(cellOrCodes('invoice', rule, { a: '\u0413', b: '7' })).toBe('\u0413-7');
    expect(cellOrCodes('invoice', { join: [{ from: 'a' }, { from: 'b' }] }, { a: 'G', b: '\u0413' })).toBe(
      'HIDDEN_CHARACTER',
    );
  });

  it.each([
    [{ starts: ['D'], rest: 'digits', length: 9 }, 'D00000042', 'D00000042'],
    [{ starts: ['D'], rest: 'digits', length: 9 }, 'D0000042', 'its length is another'],
    [{ starts: ['D'], rest: 'digits', length: 9 }, 'X00000042', 'it begins otherwise'],
    [{ starts: ['D'], rest: 'digits', length: 9 }, 'D0000004X', 'it holds something other than digits'],
    [{ starts: ['D', 'DA'], rest: 'digits' }, 'DA7', 'DA7'],
    [{ starts: ['D.'] }, 'DX', 'it begins otherwise'],
    [{ only: 'digits' }, '007', '007'],
    [{ only: 'digits' }, '0x7', 'it holds something other than digits'],
    [{ length: '1..3' }, '\u{1d7d9}\u{1d7d9}\u{1d7d9}', '\u{1d7d9}\u{1d7d9}\u{1d7d9}'],
    [{ length: '1..3' }, '1234', 'its length is another'],
  ])('has the shape %j, so %s becomes %s', (shape, cell, expected) => {
    const { made, faults } = makeCell('invoice', { from: 'a', shape }, { a: cell });
    expect(faults.map(({ code, detail }) => `${code} ${detail}`)).toEqual(
      made === '' ? [`SHAPE_DIFFERS ${expected}`] : [],
    );
    expect(made || expected).toBe(expected);
  });
});

describe('amountReader', () => {
  it('reads sums in the form of the amount, beyond the largest payment', () => {
    const read = amountReader(profileOf('amount', { from: 'a', number: { decimal: ',', group: '.' } }));
    expect(read(' 123.456.789,10 ')).toEqual({ cents: 12_345_678_910 });
    expect(read('-1.355,00')).toEqual({ cents: -135_500 });
    expect(read('90.071.992.547.409,92')).toMatchObject({ code: 'NUMBER_FORMAT' });
    expect(read('1,355.00')).toMatchObject({ code: 'NUMBER_FORMAT' });
    expect(read('')).toEqual({ code: 'CELL_EMPTY' });
    expect(read('####')).toMatchObject({ code: 'SPREADSHEET_DAMAGE' });
  });

  it('turns the sign where the profile does', () => {
    const read = amountReader(profileOf('amount', { from: 'a', number: { decimal: '.' }, sign: 'negate' }));
    expect(read('-1355.00')).toEqual({ cents: 135_500 });
    expect(read('0.00')).toEqual({ cents: 0 });
  });

  it('ignores words and second columns', () => {
    const two = profileOf('amount', { positive: 'a', negative: 'b', number: { decimal: '.' } });
    expect(amountReader(two)('25.00')).toEqual({ cents: 2500 });
  });
});

describe('made rows', () => {
  it('have a cell for each column of the layout', () => {
    const profile = profileOf('cardNumber', { from: 'a' });
    expect(compileCells(profile, () => 0)([CARD], () => {})).toHaveLength(columnsOf('card').length);
  });
});

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

  it.each([
    ['1,020.00', '', '-1020.00'],
    ['', '25.00', '25.00'],
  ])('has the other sign if the profile turns all signs: %j and %j', (a, b, expected) => {
    expect(cellOrCodes('amount', { ...rule, sign: 'negate' }, { a, b })).toBe(expected);
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
