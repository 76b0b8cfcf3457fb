import { describe, expect, it } from 'vitest';
import { checkLength, hasForbiddenContent, textRule } from '../../../src/csv/rules/text.ts';
import { apply } from '../support.ts';

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
    expect(apply((cell, report) => checkLength(cell, 3, report), 'abc')).toBe('abc');
    expect(apply((cell, report) => checkLength(cell, 3, report), 'abcd')).toBe('FIELD_TOO_LONG');
  });
});
