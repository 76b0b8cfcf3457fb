import type { CellRule } from './cell-rule.ts';
import { findDamage, findMonthName } from './spreadsheet-damage.ts';

/**
 * Returns the rule for dates: a calendar day, month first, sent as MM/DD/YYYY. The spec sets no limits, so distant days
 * are noted and sent. A year outside 1900 to 2099 is a typing error.
 * @param today YYYY-MM-DD in the time zone of the account
 */
export function dateRule(today: string): CellRule {
  const todayMs = Date.parse(today);
  return (cell, report) => {
    const [, month = '', day = '', year = ''] = /^(\d{1,2})\/(\d{1,2})\/((?:19|20)\d\d)$/.exec(cell) ?? [];
    if (isDay(Number(year), Number(month), Number(day))) {
      const days = (Date.UTC(Number(year), Number(month) - 1, Number(day)) - todayMs) / DAY_MS;
      if (Math.abs(days) > NEAR_DAYS) report('DATE_FAR', `${Math.abs(days)} days ${days < 0 ? 'ago' : 'ahead'}`);
      return `${month.padStart(2, '0')}/${day.padStart(2, '0')}/${year}`;
    }
    const damage = findDamage(cell) ?? findMonthName(cell);
    if (damage) report('SPREADSHEET_DAMAGE', damage);
    else report('DATE_FORMAT');
    return '';
  };
}

/** Days up to this far away are not noted: any day of last year or next year is normal. */
export const NEAR_DAYS = 366;
const DAY_MS = 86_400_000;

/** Returns whether the calendar has this day. */
export function isDay(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysOfMonth(year, month);
}

function daysOfMonth(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : DAYS[month - 1]!;
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
