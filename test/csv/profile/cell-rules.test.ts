import { describe, expect, it } from 'vitest';
import { columnsOf } from '../../../schemas/layouts.ts';
import { Profile } from '../../../schemas/profiles.ts';
import { amountReader, compileCells } from '../../../src/csv/profile/cell-rules.ts';
import { cellOrCodes, makeCell, profileOf } from './support/make-cell.ts';

const CARD = '4222222222222220';
const ROUTING = '021000021';

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

describe('a used cell', () => {
  const invoice = { from: 'a' };
  const text = { from: 'a' };

  it.each([
    ['1001', '1001'],
    [' 1001 ', '1001'],
    ['\u00a01001\u202f', '1001'],
    ['\u20091001', '1001'],
    ['Nu\u0301n\u0303ez', 'N\u00fa\u00f1ez'],
    ['INV 1, a', 'INV 1, a'],
    ['', 'CELL_EMPTY'],
    [' \u00a0', 'CELL_EMPTY'],
    ['10\u200b01', 'HIDDEN_CHARACTER'],
    ['1001\ufeff', 'HIDDEN_CHARACTER'],
    ['\u202e1001', 'HIDDEN_CHARACTER'],
    ['1001\t', 'HIDDEN_CHARACTER'],
    ['10\u000001', 'HIDDEN_CHARACTER'],
    ['10\u202801', 'HIDDEN_CHARACTER'],
    ['4.22222E+15', 'SPREADSHEET_DAMAGE'],
    ['="00123"', 'SPREADSHEET_DAMAGE'],
    ['#REF!', 'SPREADSHEET_DAMAGE'],
  ])('reads %j as %s in an invoice and a text', (cell, expected) => {
    expect(cellOrCodes('invoice', invoice, { a: cell })).toBe(expected);
    expect(cellOrCodes('lastName', text, { a: cell })).toBe(expected);
  });

  it('keeps the joiners of names, which an invoice must not have', () => {
    expect(cellOrCodes('lastName', text, { a: '\u0645\u200c\u0645' })).toBe('\u0645\u200c\u0645');
    expect(cellOrCodes('invoice', invoice, { a: '\u0645\u200c\u0645' })).toBe('HIDDEN_CHARACTER');
  });

  it('finds a date that a spreadsheet made of a code, but leaves it in a text', () => {
    expect(cellOrCodes('invoice', invoice, { a: 'Dec-17' })).toBe('SPREADSHEET_DAMAGE');
    expect(cellOrCodes('invoice', invoice, { a: '17-Dec' })).toBe('SPREADSHEET_DAMAGE');
    expect(cellOrCodes('invoice', invoice, { a: 'DEC-17' })).toBe('DEC-17');
    expect(cellOrCodes('lastName', text, { a: 'Dec-17' })).toBe('Dec-17');
  });

  it.each(['INV-\u0410', '\u0391NV', 'I\u0391\u0410'])('finds letters of two alphabets in the code %s', (cell) => {
    expect(cellOrCodes('invoice', invoice, { a: cell })).toBe('HIDDEN_CHARACTER');
    expect(cellOrCodes('customerCode', { from: 'a' }, { a: cell })).toBe('HIDDEN_CHARACTER');
    expect(cellOrCodes('lastName', text, { a: cell })).toBe(cell);
  });

  it.each(['\u0421\u0427\u0401\u0422-1', '\u03a4\u03a1-1', '\u00c9T\u00c9-1', '\u8acb-A'])(
    'takes the code %s',
    (cell) => {
      expect(cellOrCodes('invoice', invoice, { a: cell })).toBe(cell);
    },
  );

  it('takes a text out of a formula where the profile says so', () => {
    const accepting = { from: 'a', excelText: 'accept' };
    expect(cellOrCodes('zipCode', accepting, { a: '="00123"' })).toBe('00123');
    expect(cellOrCodes('invoice', accepting, { a: '= " 00123 " ' })).toBe('00123');
    expect(cellOrCodes('invoice', accepting, { a: '="1E+15"' })).toBe('SPREADSHEET_DAMAGE');
    expect(cellOrCodes('invoice', accepting, { a: '=A1&"1"' })).toBe('=A1&"1"');
    expect(cellOrCodes('zipCode', { ...accepting, empty: 'keep' }, { a: '=""' })).toBe('');
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
