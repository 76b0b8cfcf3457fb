import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ColumnName } from '../../../schemas/layouts.ts';
import { shownValue } from '../../../src/csv/check/check-row.ts';
import { shownCell, shownCode, shownDate } from '../../../src/csv/suggest/shown.ts';
import { ACCOUNT, OTHER_VISA, VISA } from '../support.ts';

describe('shownValue', () => {
  it.each([
    ['cardNumber', VISA, '', '************2220'],
    ['accountNumber', '1234', '', '****'],
    ['comment', `card ${VISA}`, '', 'card ************2220'],
    ['comment', 'account 1234', '1234', 'account ****'],
    ['comment', 'account 1234', 'x', 'account 1234'],
    ['comment', '1124_2026_6830', '112420266830', '**********6830'],
    ['comment', 'of 44304/27451/53572/7', '4430 4274 5153 5727', '*****************572*7'],
    ['comment', 'of (112420) 266/831', '112420266830', '**************6*831'],
    ['comment', '12345678, again 1234 5678', '12345678', '*********************5678'],
    ['comment', 'ends in 2345678', '12345678', '*************78'],
    ['expiry', '2026-11-20', VISA, '2026-11-20'],
    ['expiry', '2026-11-20', undefined, '2026-11-20'],
    ['expiry', '2026-11-20', 'Ada', '****-11-20'],
    ['invoice', '20261120-77', VISA, '20261120-77'],
    ['invoice', '416-555-0199', undefined, '416-555-0199'],
    ['invoice', '416-555-0199', '', '***-***-0199'],
    ['invoice', '1234 5678 9012', VISA, '**** **** 9012'],
    ['invoice', '1234  5678  9012', VISA, '************9012'],
    ['comment', 'card 4111/1111/1111/1111', '1234567', 'card ****/****/****/1111'],
    ['amount', '$5', '', '$5'],
    ['amount', '4000000000.00', '', '4000000000.00'],
    ['amount', '$1,234,567.5', '', '$1,234,567.5'],
    ['amount', '12345678', '', '****5678'],
    ['amount', '378282246310005.00', '', '*************05.00'],
    ['amount', '4222222222222.00', '', '***********22.00'],
    ['amount', VISA, '', '************2220'],
    ['date', '2026-11-20', '', '2026-11-20'],
    ['date', '20261120', '', '****1120'],
    ['date', '1234-56-7890', '', '****-**-7890'],
    ['comment', '', '', ''],
  ] as const)('of %s shows %j as %j', (column, cell, ownNumber, shown) => {
    expect(shownValue(column, cell, ownNumber)).toBe(shown);
  });

  it('shows no more than four digits of the number of its row, however it is written there', () => {
    const NUMBER = fc.oneof(
      fc.constantFrom(VISA, OTHER_VISA, ACCOUNT),
      fc.stringMatching(/^[1-9]\d{4,25}$/),
      fc.stringMatching(/^[1-9]\d{11}$/),
    );
    const GAP = fc.constantFrom('', '', ' ', '-', '.', '/', ' / ', ') (', '_', '\u00a0');
    const WORDS = fc.constantFrom('', 'of ', 'Ada, ', '#', 'é');
    const COLUMN = fc.constantFrom<ColumnName>(
      'comment',
      'invoice',
      'lastName',
      'street',
      'mop',
      'expiry',
      'accountType',
    );
    fc.assert(
      fc.property(
        NUMBER,
        COLUMN,
        WORDS,
        fc.array(GAP, { minLength: 26, maxLength: 26 }),
        fc.nat(25),
        fc.nat(26),
        (number, column, words, gaps, from, length) => {
          const part = number.slice(from, from + length);
          const written = [...part].map((digit, place) => digit + gaps[place]!).join('');
          const shown = shownValue(column, `${words}${written}`, number);
          expect(shown.replace(/\D/g, '').length).toBeLessThanOrEqual(4);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it('shows at most 40 characters, and no number by cutting it', () => {
    for (let before = 0; before < 60; before += 1) {
      const shown = shownValue('comment', `${'x'.repeat(before)}${ACCOUNT}${'y'.repeat(400)}`, '');
      expect(shown).toHaveLength(40);
      expect(shown).not.toMatch(/\d{5}/);
    }
  });

  it('stays quick and safe on a flood of digits', () => {
    expect(shownValue('comment', '4'.repeat(16_000), '')).toBe(`${'*'.repeat(39)}…`);
  });
});

describe('shownDate', () => {
  it.each(['06/15/2026', '6.5.26', '2026-06-15', '12/2035', '12/35', '1235', '2035-12', '15 Jun 2026'])(
    'shows %s whole',
    (date) => expect(shownDate(` ${date} `)).toBe(date),
  );

  it.each([
    ['4222 2222 2222 2220', '***************2220'],
    ['4222222222222220', '************2220'],
    ['40000000', '****0000'],
    ['06/15\u202e', '06/15U+202E'],
  ])('shows %j as %s, because a wrong column may be looked at', (cell, shown) => {
    expect(shownDate(cell)).toBe(shown);
  });
});

describe('shownCell', () => {
  it.each(['2026-06-15', '15.06.2026', '6/5/2026', '2026/1/31'])('shows the day %s whole', (day) =>
    expect(shownCell(` ${day} `)).toBe(day),
  );

  it.each([
    ['20260615', '****0615'],
    ['12-34-56', '******56'],
    ['1234-56-78', '*****56*78'],
    ['2026-06-15-20', '********15*20'],
    ['2026.99.15', '****.99.15'],
  ])('shows %s as %s, because it may be a number', (cell, shown) => {
    expect(shownCell(cell)).toBe(shown);
  });
});

describe('shownCode', () => {
  it.each(['BK20260101', 'INV-2026-0042', 'a1'])('shows %s whole', (code) => expect(shownCode(code)).toBe(code));

  it.each([
    ['20260101', '****0101'],
    ['A12345678901', 'A*******8901'],
    ['DE89370400440532013000', 'DE****************3000'],
    ['Account 40000000', 'Account ****0000'],
  ])('shows %s as %s', (code, shown) => expect(shownCode(code)).toBe(shown));
});
