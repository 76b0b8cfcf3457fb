import { passesLuhn } from '../../kernel/luhn.ts';
import type { CellRule } from './cell-rule.ts';
import { findDamage } from './spreadsheet-damage.ts';

/** Card number: 12 to 19 digits with a valid check digit. The row check compares it with the method of payment. */
export const cardNumberRule: CellRule = (cell, report) => {
  if (!/^\d{12,19}$/.test(cell)) {
    const damage = findDamage(cell);
    if (damage) report('SPREADSHEET_DAMAGE', damage);
    else report('CARD_FORMAT');
    return '';
  }
  if (passesLuhn(cell)) return cell;
  if (hasLostDigits(cell)) report('SPREADSHEET_DAMAGE', 'only the first 15 digits were kept');
  else report('CARD_CHECK_DIGIT');
  return '';
};

/** Spreadsheets keep 15 digits of a number and write zeros for the rest. */
function hasLostDigits(digits: string): boolean {
  return /^\d{15}0+$/.test(digits);
}
