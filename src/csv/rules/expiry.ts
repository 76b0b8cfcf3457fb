import type { CellRule } from './cell-rule.ts';
import { findDamage, findMonthName } from './spreadsheet-damage.ts';

/**
 * Returns the rule for expiry dates: `MM/YY` or `MMYY`, sent as MMYY. A card is valid to the end of its month. Years
 * are 20YY.
 * @param today YYYY-MM-DD in the time zone of the account
 */
export function expiryRule(today: string): CellRule {
  const thisMonth = Number(today.slice(0, 4)) * 12 + Number(today.slice(5, 7));
  return (cell, report) => {
    const [, month = '', year = ''] = /^(0[1-9]|1[0-2])\/?(\d\d)$/.exec(cell) ?? [];
    if (month === '') {
      const damage = findExpiryDamage(cell);
      if (damage) report('SPREADSHEET_DAMAGE', damage);
      else report('EXPIRY_FORMAT');
      return '';
    }
    if ((2000 + Number(year)) * 12 + Number(month) >= thisMonth) return month + year;
    report('EXPIRY_PAST');
    return '';
  };
}

function findExpiryDamage(cell: string): string | undefined {
  if (/^[1-9]\d\d$/.test(cell)) return 'the zero in front is lost';
  return findDamage(cell) ?? findMonthName(cell);
}
