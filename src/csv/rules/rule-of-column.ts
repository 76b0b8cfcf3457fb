import { COLUMNS, type ColumnName } from '../../../schemas/columns.ts';
import { FOLDER_OPERATIONS } from '../../../schemas/operations.ts';
import type { CheckRules } from '../check/check-rules.ts';
import { accountNumberRule } from './account-number.ts';
import { accountTypeRule } from './account-type.ts';
import { amountRule } from './amount.ts';
import { cardNumberRule } from './card-number.ts';
import type { CellRule } from './cell-rule.ts';
import { customerCodeRule } from './customer-code.ts';
import { dateRule } from './date.ts';
import { expiryRule } from './expiry.ts';
import { invoiceRule } from './invoice.ts';
import { maxLengthOf } from './max-length.ts';
import { mopRule } from './mop.ts';
import { textRule } from './text.ts';

/** Builds the rule of a column from the column table and the folder's settings. It accepts empty cells too. */
export function ruleOfColumn(column: ColumnName, rules: CheckRules): CellRule {
  const { required } = COLUMNS[column];
  const checkCell = ruleOfKind(column, rules);
  return (cell, report) => {
    if (cell !== '') return checkCell(cell, report);
    if (required) report('FIELD_REQUIRED');
    return '';
  };
}

function ruleOfKind(column: ColumnName, rules: CheckRules): CellRule {
  const { kind, freeText } = COLUMNS[column];
  switch (kind) {
    case 'date':
      return dateRule(rules.today);
    case 'invoice':
      return invoiceRule(maxLengthOf(column));
    case 'text':
      return textRule({
        maxLength: maxLengthOf(column),
        replacesCommas: freeText && rules.folder.textCommas === 'replace',
      });
    case 'amount':
      return amountRule(FOLDER_OPERATIONS[rules.operation].sign);
    case 'mop':
      return mopRule(rules.account);
    case 'cardNumber':
      return cardNumberRule;
    case 'expiry':
      return expiryRule(rules.today);
    case 'accountType':
      return accountTypeRule;
    case 'accountNumber':
      return accountNumberRule(rules.folder.routingCheck);
    case 'customerCode':
      return customerCodeRule(maxLengthOf(column));
  }
}
