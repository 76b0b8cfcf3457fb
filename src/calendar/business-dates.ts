import type { CalendarConfig } from '../../schemas/config.ts';
import { addDays, isBusinessDay } from './calendar.ts';
import { momentOfWallTime } from './moment-of-wall-time.ts';
import { dayInZone } from './zone-time.ts';

/** When something happens again and again: once on each business date, at a time of its zone. */
export type Timetable = CalendarConfig & { readonly at: string; readonly timeZone: string };

/** A business date, the calendar day in the zone, and the moment at which it is due. */
export type DueDate = { readonly day: string; readonly at: Date };

/** No calendar has a longer pause; without a limit one that has no day left would be searched for ever. */
const LONGEST_PAUSE_DAYS = 3_660;

/** The moment that is due on a day, or undefined when it is no business day. */
export function dueAt(timetable: Timetable, day: string): Date | undefined {
  if (!isBusinessDay(day, timetable)) return undefined;
  return momentOfWallTime(day, timetable.at, timetable.timeZone);
}

/**
 * Business dates whose moment lies behind `since` and has come by `now`, the earliest first.
 * @param after only dates behind this one, such as the last of which it is known what became of it
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

/** The first business date that is due after a moment, or undefined when there is none for years. */
export function nextDate(timetable: Timetable, now: Date): DueDate | undefined {
  return search(timetable, dayInZone(now, timetable.timeZone), 1, (at) => at > now);
}

/** The last business date before a day. */
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
