import { formatCents, parseAmount } from '../../kernel/money.ts';
import type { CellRule } from './cell-rule.ts';
import { findDamage } from './spreadsheet-damage.ts';

/**
 * Returns the rule for amounts: a plain decimal with the sign of the folder's operation, sent with two places. It
 * returns an amount of the wrong sign too, because the amount still identifies the row.
 */
export function amountRule(sign: 1 | -1): CellRule {
  return (cell, report) => {
    const cents = parseAmount(cell);
    if (typeof cents === 'string') {
      const damage = findDamage(cell);
      if (damage) report('SPREADSHEET_DAMAGE', damage);
      else report(cents);
      return '';
    }
    if (cents === 0) {
      report('AMOUNT_ZERO');
      return '';
    }
    if (Math.sign(cents) !== sign) report('WRONG_SIGN', sign > 0 ? 'negative among charges' : 'positive among refunds');
    return formatCents(cents);
  };
}
