import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { cellOrCodes, makeCell } from './support/make-cell.ts';
import { escapePattern } from '../../../src/csv/profile/used-cell.ts';
import { senderMasker } from '../../../src/csv/profile/mask-sender-row.ts';
import { exampleProfile } from './support/example-files.ts';

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

describe('used cell', () => {
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
});

const SAGE = exampleProfile('sage-eft');
const TITLES = SAGE.head.titles as readonly string[];

const digits = (min: number, max = min) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min, maxLength: max });

describe('senderMasker', () => {
  it('shows at most four digits of an account number, wherever it stands and however it is cut', () => {
    const mask = senderMasker(SAGE, TITLES);
    const row = fc.record({ institution: digits(3), transit: digits(5), account: digits(5, 12), at: fc.nat(2) });
    fc.assert(
      fc.property(row, fc.boolean(), ({ institution, transit, account, at }, isValid) => {
        const number = `0${institution}${transit}${account}`;
        const copy = [number, `${institution}-${transit}-${account}`, `acct ${account} at ${transit}`][at]!;
        const cells = [
          'BYR01',
          'Byron',
          '5001',
          '2026-06-15',
          '1,020.00',
          '',
          'Chequing',
          institution,
          transit,
          account,
          '',
        ];
        const made = ['5001', '', 'Byron', 'CHECKING', number, '1020.00', ''];
        for (const place of [0, 10]) {
          const shown = mask(cells.toSpliced(place, 1, copy), { made, isValid });
          for (const cell of shown) {
            for (const run of cell.match(/\d{5,}/g) ?? []) expect(number).not.toContain(run);
          }
        }
      }),
    );
  });

  it('leaves what was sent as it stands, dates and amounts', () => {
    const mask = senderMasker(SAGE, TITLES);
    const cells = [
      'C-1',
      'Byron',
      '20260615001',
      '2026-06-15',
      '1,020.00',
      '',
      'Chequing',
      '004',
      '10202',
      '1234567',
      'Dues',
    ];
    const made = ['20260615001', '', 'Byron', 'CHECKING', '0004102021234567', '1020.00', 'Dues'];
    expect(mask(cells, { made, isValid: true })).toEqual(
      cells.map((cell, place) => ({ 7: '***', 8: '*****', 9: '*****67' })[place] ?? cell),
    );
  });

  it('leaves amounts above a million with marks, and dates without', () => {
    const profile = exampleProfile('excel-de', ['format: DD.MM.YYYY', 'format: YYYYMMDD']);
    const cells = [
      '20260615',
      'R-7',
      '',
      'Byron',
      '',
      '',
      '',
      '1.234.567,00 €',
      'Visa',
      '="4222222222222220"',
      '12/35',
    ];
    const made = ['06/15/2026', 'R-7', '', 'Byron', '', '', '', '', '1234567.00', 'VISA', '4222222222222220', '12/35'];
    const shown = senderMasker(profile, profile.head.titles as string[])(cells, { made, isValid: true });
    expect([shown[0], shown[7]]).toEqual([cells[0], cells[7]]);
    expect(shown[9]).not.toMatch(/\d{5}/);
    const late = [`20260615 ${cells[9]}`, ...cells.slice(1)];
    expect(senderMasker(profile, profile.head.titles as string[])(late, { made, isValid: true })[0]).not.toMatch(
      /\d{9}/,
    );
  });

  it('hides every long number of a row that was not sent', () => {
    const mask = senderMasker(SAGE, TITLES);
    const cells = ['4222222222222220', 'Byron', '4222222222222220', '', '1020.00', '', '', '', '', '', ''];
    const shown = mask(cells, { made: ['', '', 'Byron', '', '', '1020.00', ''], isValid: false });
    expect(shown.join()).not.toMatch(/\d{5}/);
    expect(shown[4]).toBe('1020.00');
  });

  it.each([
    ['as it stands', '1234567'],
    ['with blanks', '12 345  67'],
    ['with slashes', '1234/567'],
    ['like a date', '12-34-567'],
    ['in other digits', '\uff11234567'],
    ['in a text', 'acct 123-4567 of Ada'],
  ])('hides a part of the number %s in any other cell', (_, copy) => {
    const cells = [copy, 'Byron', '5001', copy, '1.00', '', 'Chequing', '004', '10202', '1234567', ''];
    const shown = senderMasker(SAGE, TITLES)(cells, { made: ['', '', '', '', '', '', ''], isValid: false });
    expect([shown[0], shown[3]]).toEqual(['*'.repeat(copy.length), '*'.repeat(copy.length)]);
  });

  it('hides the first digits of a card, of which the last are shown', () => {
    const profile = exampleProfile('quickbooks-dues');
    const cells = 'Invoice,1001,Byron,,,,,Visa,4222 2222 2222 2220,12/2035,begins with 422222,,1.00'.split(',');
    const made = ['', '1001', '', 'Byron', '', '', '', '', '1.00', 'VISA', '4222222222222220', '12/35'];
    const titles = profile.head.titles as string[];
    const shown = senderMasker(profile, titles)(['06/15/2026', ...cells], { made, isValid: true });
    expect(shown[titles.indexOf('Memo/Description')]).toMatch(/^\*+$/);
    expect(shown[titles.indexOf('Card Number')]).toBe('***************2220');
  });
});
