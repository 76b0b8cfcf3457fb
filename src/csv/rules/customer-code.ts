import type { CellRule } from './cell-rule.ts';
import { findMonthName } from './spreadsheet-damage.ts';
import { checkLength, hasForbiddenContent } from './text.ts';

/** Returns the rule for customer codes: letters, digits and `- _ .`. The spec has none; this fits all known codes. */
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
