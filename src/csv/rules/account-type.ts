import type { CellRule } from './cell-rule.ts';
import { findDamage } from './spreadsheet-damage.ts';

/** Account type: CHECKING or SAVING. Clients also write `Savings`, so case and a final S are ignored. */
export const accountTypeRule: CellRule = (cell, report) => {
  const upper = cell.toUpperCase();
  if (upper === 'CHECKING') return upper;
  if (upper === 'SAVING' || upper === 'SAVINGS') return 'SAVING';
  const damage = findDamage(cell);
  if (damage) report('SPREADSHEET_DAMAGE', damage);
  else report('ACCOUNT_TYPE');
  return '';
};
