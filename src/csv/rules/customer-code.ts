import type { CellRule } from './cell-rule.ts';
import { findMonthName } from './spreadsheet-damage.ts';
import { checkLength, hasForbiddenContent } from './text.ts';

/** Customer code: letters, digits and `- _ .`. The spec gives no rule; this holds all codes known from clients. */
export function customerCodeRule(maxLength: number): CellRule {
  return (cell, report) => {
    if (hasForbiddenContent(cell, report)) return '';
    const damage = findMonthName(cell);
    if (damage) {
      report('SPREADSHEET_DAMAGE', damage);
      return '';
    }
    if (/^[A-Za-z0-9._-]+$/.test(cell)) return checkLength(cell, maxLength, report);
    if (/[,"]/.test(cell)) report('FIELD_COMMA');
    else report('FIELD_CHARACTER', 'letters, digits, "-", "_" and "." only');
    return '';
  };
}
