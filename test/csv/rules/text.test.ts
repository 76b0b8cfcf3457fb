import { describe, expect, it } from 'vitest';
import {
  checkLength,
  customerCodeRule,
  findDamage,
  findMonthName,
  hasForbiddenContent,
  invoiceRule,
  textRule,
} from '../../../src/csv/rules/text.ts';
import { apply } from '../support.ts';
import { isOfBrand } from '../../../src/csv/rules/card-brand.ts';
import { findOddAddress, isPlainState, isPlainZip } from '../../../src/csv/rules/us-address.ts';

const free = textRule({ maxLength: 20, replacesCommas: true });
const strict = textRule({ maxLength: 20, replacesCommas: false });

describe('textRule', () => {
  it.each([
    ['Ada', 'Ada'],
    ["O'Brien-Ñandú", "O'Brien-Ñandú"],
    ['山田太郎', '山田太郎'],
    ['a\u200cb', 'a\u200cb'],
    ['x'.repeat(20), 'x'.repeat(20)],
    ['👍'.repeat(20), '👍'.repeat(20)],
    ['x'.repeat(21), 'FIELD_TOO_LONG'],
    ['👍'.repeat(21), 'FIELD_TOO_LONG'],
    ['x'.repeat(16_000), 'FIELD_TOO_LONG'],
    ['4 '.repeat(8_000), 'FIELD_TOO_LONG'],
    ['4222222222222220', 'CARD_NUMBER_IN_TEXT'],
    ['no 4222 2222 2222 2220', 'CARD_NUMBER_IN_TEXT'],
    ['4222222222222221', '4222222222222221'],
    ['4.11E+15', 'SPREADSHEET_DAMAGE'],
    ['="007"', 'SPREADSHEET_DAMAGE'],
    ['a\u202eb', 'FIELD_CHARACTER'],
    ['a\u200bb', 'FIELD_CHARACTER'],
  ])('takes %j for %j in any text column', (cell, expected) => {
    expect(apply(free, cell)).toBe(expected);
    expect(apply(strict, cell)).toBe(expected);
  });

  it.each([
    ['Byron, Ada', 'TEXT_REPLACED Byron Ada'],
    ['a,b', 'TEXT_REPLACED a b'],
    ['5" pipe', 'TEXT_REPLACED 5 pipe'],
    ['"x",,"y"', 'TEXT_REPLACED x y'],
    [',', 'TEXT_REPLACED'],
    [`${'x'.repeat(10)},${'y'.repeat(10)}`, 'TEXT_REPLACED FIELD_TOO_LONG'],
  ])('replaces commas and quotes of %j in free text', (cell, expected) => {
    expect(apply(free, cell)).toBe(expected);
  });

  it.each(['a,b', 'a"b', ','])('refuses %j where text may not be changed', (cell) => {
    expect(apply(strict, cell)).toBe('FIELD_COMMA');
  });
});

describe('hasForbiddenContent', () => {
  it('says so and reports it', () => {
    const codes: string[] = [];
    expect(hasForbiddenContent('#REF!', (code) => codes.push(code))).toBe(true);
    expect(hasForbiddenContent('fine', (code) => codes.push(code))).toBe(false);
    expect(codes).toEqual(['SPREADSHEET_DAMAGE']);
  });
});

describe('checkLength', () => {
  it('never cuts a text', () => {
    expect(apply((cell, report) => checkLength(cell, { maxLength: 3 }, report), 'abc')).toBe('abc');
    expect(apply((cell, report) => checkLength(cell, { maxLength: 3 }, report), 'abcd')).toBe('FIELD_TOO_LONG');
  });

  it('says how long, and whose limit that is', () => {
    const said: unknown[] = [];
    for (const whose of [undefined, '(ours)']) {
      checkLength('abcd', { maxLength: 3, whose }, (...report) => said.push(report));
    }
    expect(said).toEqual([
      ['FIELD_TOO_LONG', 'longer than 3 characters'],
      ['FIELD_TOO_LONG', 'longer than 3 characters (ours)'],
    ]);
  });
});

describe('customerCodeRule', () => {
  it.each([
    ['A10000001', 'A10000001'],
    ['a.b-c_9', 'a.b-c_9'],
    ['x'.repeat(40), 'x'.repeat(40)],
    ['x'.repeat(41), 'FIELD_TOO_LONG'],
    ['A 1', 'FIELD_CHARACTER'],
    ['Ä1', 'FIELD_CHARACTER'],
    ['A/1', 'FIELD_CHARACTER'],
    ['A,1', 'FIELD_COMMA'],
    ['4222222222222220', 'CARD_NUMBER_IN_TEXT'],
    ['1.0E+10', 'SPREADSHEET_DAMAGE'],
    ['1-Mar', 'SPREADSHEET_DAMAGE'],
    ['Dec-17', 'SPREADSHEET_DAMAGE'],
    ['DEC-17', 'DEC-17'],
    ['="007"', 'SPREADSHEET_DAMAGE'],
  ])('takes %j for %j', (cell, expected) => {
    expect(apply(customerCodeRule({ maxLength: 40 }), cell)).toBe(expected);
  });
});

describe('invoiceRule', () => {
  it.each([
    ['INV-1', 'INV-1'],
    ['00017', '00017'],
    ['Ré 5/2026 #3', 'Ré 5/2026 #3'],
    ['DEC-17', 'DEC-17'],
    ['x'.repeat(40), 'x'.repeat(40)],
    ['x'.repeat(41), 'FIELD_TOO_LONG'],
    ['a,b', 'FIELD_COMMA'],
    ['a"b', 'FIELD_COMMA'],
    ['Dec-17', 'SPREADSHEET_DAMAGE'],
    ['17-Dec', 'SPREADSHEET_DAMAGE'],
    ['1.23E+11', 'SPREADSHEET_DAMAGE'],
    ['#####', 'SPREADSHEET_DAMAGE'],
    ['4222222222222220', 'CARD_NUMBER_IN_TEXT'],
    ['a\u200bb', 'FIELD_CHARACTER'],
  ])('takes %j for %j', (cell, expected) => {
    expect(apply(invoiceRule({ maxLength: 40 }), cell)).toBe(expected);
  });
});

describe('findDamage', () => {
  it.each([
    '4.11E+15',
    '4.22222E+15',
    '2.1E+24',
    '1E+05',
    '-1.5E-07',
    '4,11E+15',
    '="00123"',
    '= "00123"',
    '#####',
    '#REF!',
    '#N/A',
    '#DIV/0!',
    '#NAME?',
  ])('sees the trace in %s', (cell) => {
    expect(findDamage(cell)).toEqual(expect.any(String));
  });

  it.each([
    '5e2',
    '5E2',
    'E+1',
    'SE+12',
    'MODEL 1E+05 X',
    '#1',
    '##',
    '#12 Main St',
    '=5',
    'REF!',
    '12E',
    '',
    '4222222222222220',
  ])('leaves %j alone', (cell) => {
    expect(findDamage(cell)).toBeUndefined();
  });
});

describe('findMonthName', () => {
  it.each(['Dec-17', '17-Dec', '1-Mar', 'Sep-2028', '17-Dec-28'])('sees a day in %s', (cell) => {
    expect(findMonthName(cell)).toEqual(expect.any(String));
  });

  it.each(['DEC-17', 'dec-17', 'Dec17', 'Decade-17', 'Dec-17-A', '12-17', 'Dec', 'INV-Dec-17'])(
    'leaves %s alone',
    (cell) => {
      expect(findMonthName(cell)).toBeUndefined();
    },
  );
});

/** Returns a number with this start and length. The check digit does not matter here. */
function numberOf(start: string, length: number): string {
  return start.padEnd(length, '0');
}

describe('isOfBrand', () => {
  it.each([
    ['VISA', '4', 13],
    ['VISA', '4222222222222220', 16],
    ['VISA', '4', 19],
    ['MC', '51', 16],
    ['MC', '55', 16],
    ['MC', '2221', 16],
    ['MC', '272099', 16],
    ['AMX', '34', 15],
    ['AMX', '37', 15],
    ['DSC', '6011', 16],
    ['DSC', '644', 16],
    ['DSC', '65', 19],
    ['DSC', '622126', 16],
    ['DSC', '622925', 17],
    ['MAESTR', '50', 12],
    ['MAESTR', '58', 19],
    ['MAESTR', '6', 16],
  ])('%s takes %s in %i digits', (mop, start, length) => {
    expect(isOfBrand(mop, numberOf(start, length))).toBe(true);
  });

  it.each([
    ['VISA', '5', 16],
    ['VISA', '4', 15],
    ['MC', '50', 16],
    ['MC', '56', 16],
    ['MC', '2220', 16],
    ['MC', '272100', 16],
    ['MC', '51', 15],
    ['AMX', '35', 15],
    ['AMX', '34', 16],
    ['DSC', '6012', 16],
    ['DSC', '643', 16],
    ['DSC', '622125', 16],
    ['DSC', '622926', 16],
    ['DSC', '65', 15],
    ['MAESTR', '51', 16],
    ['MAESTR', '59', 16],
    ['MAESTR', '6', 20],
    ['JCB', '35', 16],
  ])('%s does not take %s in %i digits', (mop, start, length) => {
    expect(isOfBrand(mop, numberOf(start, length))).toBe(false);
  });
});

const DAMAGED = { column: 'zipCode', code: 'SPREADSHEET_DAMAGE', detail: 'the leading zero is missing' };
const SHORT = { column: 'zipCode', code: 'ZIP_SHORT' };
const UNKNOWN = { column: 'state', code: 'STATE_UNKNOWN' };

describe('findOddAddress', () => {
  it.each([
    ['NY', '12180'],
    ['MA', '02139'],
    ['ma', '02139-1234'],
    ['M.A.', ''],
    ['New Hampshire', '03031'],
    ['Québec', 'G1A 0A2'],
    ['ON', 'K1A 0B1'],
    ['', '12180'],
    ['', ''],
    ['AE', '09012'],
  ])('says nothing of %j with %j', (state, zipCode) => {
    expect(findOddAddress(state, zipCode)).toEqual([]);
  });

  it.each([
    ['MA', '2139'],
    ['ma', '2139-1234'],
    ['New Jersey', '7030'],
    ['NJ', '70301234'],
    ['PR', '901'],
    ['PR', '9011234'],
    ['AE', '9012'],
  ])('knows by %j that %j lost its zero', (state, zipCode) => {
    expect(findOddAddress(state, zipCode)).toEqual([DAMAGED]);
  });

  it.each([
    ['NY', '1218', [SHORT]],
    ['', '8000', [SHORT]],
    ['Wien', '1010', [UNKNOWN, SHORT]],
    ['ZZ', '12180', [UNKNOWN]],
    ['Bavaria', 'D-80331', [UNKNOWN]],
  ])('notes of %j with %j what may be meant', (state, zipCode, noted) => {
    expect(findOddAddress(state, zipCode)).toEqual(noted);
  });
});

describe('a plain address', () => {
  it('is never odd, so nothing plain needs to be asked about', () => {
    const states = ['', 'NY', 'ny', 'ZZ', 'New York', 'MA'].filter(isPlainState);
    expect(states).toEqual(['', 'NY', 'MA']);
    const zips = ['', '12180', '1218', '12180-1234', '2139-1234', '21391234', 'K1A 0B1'].filter((zip) =>
      isPlainZip(zip.length),
    );
    expect(zips).toEqual(['', '12180', '12180-1234']);
    for (const state of states) for (const zip of zips) expect(findOddAddress(state, zip)).toEqual([]);
  });
});
