import { formatCents, parseAmount } from '../../kernel/money.ts';
import type { CellRule } from './cell-rule.ts';
import { findDamage } from './spreadsheet-damage.ts';

/**
 * Amount: a plain decimal, sent with two places, of the sign that the folder's operation has. An amount of
 * the wrong sign is returned all the same, because the row can still be told apart by it.
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
