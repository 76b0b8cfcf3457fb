import type { CalendarConfig } from '../../schemas/config.ts';
import { WEEKDAYS } from '../../schemas/config-parts.ts';
import { dayInZone, startOfDay } from './zone-time.ts';

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

/** Pattern of a day as programs write it. */
export const DAY = '20\\d\\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';

type Days = readonly [first: string, last: string];

/** Words for days, and what they mean. `today` is the day on which they are read. */
const NAMED_DAYS: readonly { readonly words: string; readonly read: (today: string, ...found: string[]) => Days }[] = [
  { words: `(${DAY})(?:\\.\\.(${DAY}))?`, read: (_, first = '', last = first) => [first, last] },
  { words: '(20\\d\\d-(?:0[1-9]|1[0-2]))', read: (_, month = '') => daysOfMonth(month) },
  { words: 'today', read: (today) => [today, today] },
  { words: 'yesterday', read: (today) => [addDays(today, -1), addDays(today, -1)] },
  { words: 'this week', read: (today) => weekFrom(mondayOf(today)) },
  { words: 'last week', read: (today) => weekFrom(addDays(mondayOf(today), -7)) },
  { words: 'this month', read: (today) => daysOfMonth(today) },
  { words: 'last month', read: (today) => daysOfMonth(addDays(daysOfMonth(today)[0], -1)) },
  { words: 'last (\\d{1,3}) days', read: (today, count) => [addDays(today, 1 - Number(count)), today] },
  { words: `(${MONTH})(?: (20\\d\\d))?`, read: readMonth },
];

/** Pattern of all words for days, without groups of its own. */
export const DAYS_WORDS = NAMED_DAYS.map(({ words }) => words.replaceAll(/\((?!\?)/g, '(?:')).join('|');

/**
 * Reads words for days, in any case: `today`, `last week`, `nov`, `2026-11`, `2026-11-22..2026-11-23`.
 * @returns undefined for other words, and for days that the zone does not have
 */
export function readDays(words: string, now: Date, timeZone: string): Period | undefined {
  for (const { words: pattern, read } of NAMED_DAYS) {
    const found = new RegExp(`^(?:${pattern})$`, 'i').exec(words);
    if (!found) continue;
    const [first, last] = read(dayInZone(now, timeZone), ...found.slice(1));
    const [from, until] = [dayBounds(first, timeZone)?.from, dayBounds(last, timeZone)?.until];
    return from && until && from < until ? { from, until } : undefined;
  }
  return undefined;
}

function mondayOf(day: string): string {
  return addDays(day, -((new Date(dayMs(day)).getUTCDay() + 6) % 7));
}

function weekFrom(monday: string): Days {
  return [monday, addDays(monday, 6)];
}

/** @param day any day of the month, or only `2026-06` */
function daysOfMonth(day: string): Days {
  const first = `${day.slice(0, 7)}-01`;
  return [first, addDays(`${addDays(first, 31).slice(0, 7)}-01`, -1)];
}

/** Without a year, the month of this name that began last. */
function readMonth(today: string, name = '', year?: string): Days {
  const month = String(MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1).padStart(2, '0');
  const began = Number(today.slice(0, 4)) - (month > today.slice(5, 7) ? 1 : 0);
  return daysOfMonth(`${year ?? began}-${month}`);
}
