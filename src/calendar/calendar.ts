import { type CalendarConfig, WEEKDAYS } from '../../schemas/config.ts';

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
