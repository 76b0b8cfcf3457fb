import type { CalendarConfig } from '../../schemas/config.ts';
import { addDays, isBusinessDay, LONGEST_PAUSE_DAYS } from './calendar.ts';
import { dayInZone, momentOfWallTime } from './zone-time.ts';

/** A recurring time: once on each business date, at a time of day in its time zone. */
export type Timetable = CalendarConfig & { readonly at: string; readonly timeZone: string };

/** A business date: the calendar day in the zone, and the moment when it is due. */
export type DueDate = { readonly day: string; readonly at: Date };

/** Returns the due moment of a day, or undefined when it is not a business day. */
export function dueAt(timetable: Timetable, day: string): Date | undefined {
  if (!isBusinessDay(day, timetable)) return undefined;
  return momentOfWallTime(day, timetable.at, timetable.timeZone);
}

/**
 * Returns the business dates that fall due after `since` and by `now`, the earliest first.
 * @param after only dates after this one, such as the last with a known outcome
 */
export function dueDates(timetable: Timetable, since: Date, now: Date, after?: string): DueDate[] {
  const due: DueDate[] = [];
  const last = dayInZone(now, timetable.timeZone);
  const first = dayInZone(since, timetable.timeZone);
  for (
    let day = after !== undefined && after >= first ? addDays(after, 1) : first;
    day <= last;
    day = addDays(day, 1)
  ) {
    const at = dueAt(timetable, day);
    if (at && at > since && at <= now) due.push({ day, at });
  }
  return due;
}

/** Returns the first business date due after `now`, or undefined when there is none for years. */
export function nextDate(timetable: Timetable, now: Date): DueDate | undefined {
  return search(timetable, dayInZone(now, timetable.timeZone), 1, (at) => at > now);
}

/** Returns the last business date before a day. */
export function dateBefore(timetable: Timetable, day: string): DueDate | undefined {
  return search(timetable, addDays(day, -1), -1, () => true);
}

function search(timetable: Timetable, from: string, step: 1 | -1, fits: (at: Date) => boolean): DueDate | undefined {
  for (let days = 0; days <= LONGEST_PAUSE_DAYS; days += 1) {
    const day = addDays(from, days * step);
    const at = dueAt(timetable, day);
    if (at && fits(at)) return { day, at };
  }
  return undefined;
}
