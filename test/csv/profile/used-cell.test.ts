import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapePattern } from '../../../src/csv/profile/used-cell.ts';
import { cellOrCodes } from './support/make-cell.ts';

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

it('escapePattern makes a pattern that matches the text alone', () => {
  const texts = fc.string({ unit: fc.constantFrom(...'\\^$.*+?()[]{}|/-a0é€') });
  fc.assert(
    fc.property(texts, texts, (text, other) => {
      expect(new RegExp(`^${escapePattern(text)}$`).test(other)).toBe(text === other);
      expect(new RegExp(`^${escapePattern(text)}$`, 'u').test(text)).toBe(true);
    }),
  );
});
