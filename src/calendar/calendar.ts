import { type CalendarConfig, WEEKDAYS } from '../../schemas/config.ts';

const DAY_MS = 86_400_000;

/** Whether something that has this calendar happens on a day. @param day `2026-06-15` */
export function isBusinessDay(day: string, { days, holidays }: CalendarConfig): boolean {
  // WEEKDAYS begins with Monday, JavaScript with Sunday.
  const weekday = WEEKDAYS[(new Date(dayMs(day)).getUTCDay() + 6) % 7]!;
  return days.includes(weekday) && !holidays.includes(day);
}

/** The day so many days later, or earlier; days of the calendar, which no clock changes. @param day `2026-06-15` */
export function addDays(day: string, days: number): string {
  return new Date(dayMs(day) + days * DAY_MS).toISOString().slice(0, 10);
}

function dayMs(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}
