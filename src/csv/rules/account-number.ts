import type { CellRule } from './cell-rule.ts';
import { findDamage } from './spreadsheet-damage.ts';

/**
 * Account number: 4 to 26 digits.
 * @param routingCheck the first nine digits are a US routing number and have a right check digit
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

/** Padded, a number has 26 digits; one of a digit less has been a number in a spreadsheet. */
export function hasLostZero({ length }: { length: number }): boolean {
  return length === 25;
}

/** Spreadsheets keep fifteen digits of a number. Where fewer than five zeros follow, they may be the account's own. */
const ROUNDED = /^\d{15}0{5,}$/;

/** Whether there is nothing behind the nine digits of the bank. */
export function isBankAlone({ length }: { length: number }): boolean {
  return length === 9;
}

const ROUTING_WEIGHTS = [3, 7, 1, 3, 7, 1, 3, 7, 1];

/** The checksum of the American Bankers Association. Nine zeros pass it, and are no bank. */
function startsWithRoutingNumber(digits: string): boolean {
  if (digits.length < 9 || digits.startsWith('000000000')) return false;
  const sum = ROUTING_WEIGHTS.reduce((sum, weight, place) => sum + weight * Number(digits[place]), 0);
  return sum % 10 === 0;
}
