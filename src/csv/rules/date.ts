import type { CellRule } from './cell-rule.ts';
import { findDamage, findMonthName } from './spreadsheet-damage.ts';

/**
 * Date: a day of the calendar, month first, sent as MM/DD/YYYY. Days long past or far ahead are noted and sent, the spec
 * limits neither; a year outside 1900 to 2099 is a slip of the keyboard.
 * @param today YYYY-MM-DD in the zone of the account
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

/** A day of last year or of the next is nothing special. */
export const NEAR_DAYS = 366;
const DAY_MS = 86_400_000;

/** Whether the calendar has this day. */
export function isDay(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysOfMonth(year, month);
}

function daysOfMonth(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : DAYS[month - 1]!;
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
