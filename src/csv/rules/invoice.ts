import type { CellRule } from './cell-rule.ts';
import { findMonthName } from './spreadsheet-damage.ts';
import { textRule } from './text.ts';

/** Returns the rule for invoice numbers. Results are matched by this text, so nothing in it may be replaced. */
export function invoiceRule(maxLength: number): CellRule {
  const checkText = textRule({ maxLength, replacesCommas: false });
  return (cell, report) => {
    const damage = findMonthName(cell);
    if (!damage) return checkText(cell, report);
    report('SPREADSHEET_DAMAGE', damage);
    return '';
  };
}
