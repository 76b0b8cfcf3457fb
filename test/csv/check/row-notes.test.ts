import { describe, expect, it } from 'vitest';
import { rowNotes, shownValue } from '../../../src/csv/check/check-row.ts';
import { ACCOUNT, rulesWith, VISA } from '../support.ts';

const notes = () => rowNotes(['invoice', 'cardNumber'], 1, rulesWith().folder);

describe('rowNotes', () => {
  it('reports with line, column, detail and masked value', () => {
    const { startRow, moveTo, report, faults } = notes();
    startRow({ line: 7, cells: [' a,b ', VISA] });
    report('FIELD_COMMA');
    moveTo(1);
    report('CARD_BRAND', 'not a number of MC');
    expect(faults()).toEqual([
      { code: 'FIELD_COMMA', line: 7, column: 'invoice', value: 'a,b' },
      { code: 'CARD_BRAND', line: 7, column: 'cardNumber', detail: 'not a number of MC', value: '************2220' },
    ]);
  });

  it('leaves out the value of an empty cell, and column and value of a fault of the row', () => {
    const { startRow, report, reportRow, faults } = notes();
    startRow({ line: 7, cells: ['', VISA] });
    report('FIELD_REQUIRED');
    reportRow('DUPLICATE_ROW', 'the first stands on line 2');
    expect(faults()).toEqual([
      { code: 'FIELD_REQUIRED', line: 7, column: 'invoice' },
      { code: 'DUPLICATE_ROW', line: 7, detail: 'the first stands on line 2' },
    ]);
  });

  it('knows whether more than a warning was said, of each row anew', () => {
    const { startRow, report, isInvalid, faults } = notes();
    startRow({ line: 1, cells: ['a', VISA] });
    report('TEXT_REPLACED');
    expect(isInvalid()).toBe(false);
    report('FIELD_TOO_LONG');
    expect(isInvalid()).toBe(true);
    const before = faults();
    startRow({ line: 2, cells: ['a', VISA] });
    expect(isInvalid()).toBe(false);
    expect(faults()).toEqual([]);
    expect(before).toHaveLength(2);
  });
});

describe('shownValue', () => {
  it.each([
    ['cardNumber', VISA, '', '************2220'],
    ['accountNumber', '1234', '', '****'],
    ['comment', `card ${VISA}`, '', 'card ************2220'],
    ['comment', 'account 1234', '1234', 'account ****'],
    ['comment', 'account 1234', 'x', 'account 1234'],
    ['comment', '1124_2026_6830', '112420266830', '**********6830'],
    ['comment', 'of 44304/27451/53572/7', '4430 4274 5153 5727', '*****************572*7'],
    ['comment', 'of (112420) 266/831', '112420266830', 'of (112420) 266/831'],
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
