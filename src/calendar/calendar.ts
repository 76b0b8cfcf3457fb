import { type CalendarConfig, WEEKDAYS } from '../../schemas/config.ts';
import { startOfDay } from './zone-time.ts';

const DAY_MS = 86_400_000;

/** No calendar has a longer pause. Without a limit, the search in a calendar without days left would never end. */
export const LONGEST_PAUSE_DAYS = 3_660;

/** Returns whether a day is a business day of this calendar. @param day `2026-06-15` */
export function isBusinessDay(day: string, { days, holidays }: CalendarConfig): boolean {
  // WEEKDAYS begins with Monday, JavaScript with Sunday.
  const weekday = WEEKDAYS[(new Date(dayMs(day)).getUTCDay() + 6) % 7]!;
  return days.includes(weekday) && !holidays.includes(day);
}

/** Adds calendar days, which may be negative; clock changes do not matter. @param day `2026-06-15` */
export function addDays(day: string, days: number): string {
  return new Date(dayMs(day) + days * DAY_MS).toISOString().slice(0, 10);
}

function dayMs(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

/** A period of time; `until` is exclusive. */
export type Period = { readonly from: Date; readonly until: Date };

/**
 * Returns the bounds of a calendar day in a zone, 23 to 25 hours long.
 * @param day `2026-11-20`
 * @returns undefined when the zone has no such day
 */
export function dayBounds(day: string, timeZone: string): Period | undefined {
  const from = startOfDay(day, timeZone);
  // Some zones have skipped a calendar day. The day before it ends where the next one begins.
  const until = from && (startOfDay(addDays(day, 1), timeZone) ?? startOfDay(addDays(day, 2), timeZone));
  return from && until && { from, until };
}
