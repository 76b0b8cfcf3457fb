import type { CellRule } from './cell-rule.ts';
import { findDamage } from './spreadsheet-damage.ts';

/**
 * Returns the rule for account numbers: 4 to 26 digits.
 * @param routingCheck the first nine digits must be a US routing number with a valid check digit
 */
export function accountNumberRule(routingCheck: boolean): CellRule {
  return (cell, report) => {
    if (!/^\d{4,26}$/.test(cell)) {
      const damage = findDamage(cell);
      if (damage) report('SPREADSHEET_DAMAGE', damage);
      else report('ACCOUNT_FORMAT');
      return '';
    }
    const isRight = !routingCheck || startsWithRoutingNumber(cell);
    if (hasLostZero(cell) && (!routingCheck || startsWithRoutingNumber(`0${cell}`))) {
      report('SPREADSHEET_DAMAGE', 'the zero in front is lost');
    } else if (ROUNDED.test(cell)) report('SPREADSHEET_DAMAGE', 'all digits after the fifteenth are zeros');
    else if (routingCheck && isBankAlone(cell)) report('ACCOUNT_ROUTING', 'no account number stands behind it');
    else if (isRight) return cell;
    else report('ACCOUNT_ROUTING');
    return '';
  };
}

/** Returns whether a leading zero is lost. A padded number has 26 digits; one with 25 was a number in a spreadsheet. */
export function hasLostZero({ length }: { length: number }): boolean {
  return length === 25;
}

/** Spreadsheets keep fifteen digits of a number. Fewer than five zeros after them may belong to the account. */
const ROUNDED = /^\d{15}0{5,}$/;

/** Returns whether nothing follows the nine digits of the bank. */
export function isBankAlone({ length }: { length: number }): boolean {
  return length === 9;
}

const ROUTING_WEIGHTS = [3, 7, 1, 3, 7, 1, 3, 7, 1];

/** Checks the checksum of the American Bankers Association. Nine zeros pass it but are no bank. */
function startsWithRoutingNumber(digits: string): boolean {
  if (digits.length < 9 || digits.startsWith('000000000')) return false;
  const sum = ROUTING_WEIGHTS.reduce((sum, weight, place) => sum + weight * Number(digits[place]), 0);
  return sum % 10 === 0;
}
