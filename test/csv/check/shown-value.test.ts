import { describe, expect, it } from 'vitest';
import { ACCOUNT, VISA } from '../support.ts';
import { shownValue } from '../../../src/csv/check/row-notes.ts';

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
