import { createContext } from 'preact';
import { formatInZone } from '../../calendar/zone-time.ts';

/** By what the times of a page are written: the current time, and the zone of the person who looks. */
export type PageTime = { readonly now: Date; readonly timeZone: string };

/** Undefined where nobody is logged in: times then have the zone that the place of use gives them. */
export const PageTimeContext = createContext<PageTime | undefined>(undefined);

/** Whether times stand in a list, where the short form lets the eye run down the column. */
export const ListContext = createContext(false);

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

function partsOf(at: Date, timeZone: string) {
  const [day = '', time = ''] = formatInZone(at, timeZone).split(' ');
  const [year = '', month = '', date = ''] = day.split('-');
  return { day, year, month: MONTHS[Number(month) - 1], date: String(Number(date)), time };
}

/** Says a moment for a list: `02:05`, `22 Nov, 23:05` or `22 Nov 2025`, the shorter the longer it is away. */
export function sayShortly(at: Date, { now, timeZone }: PageTime): string {
  const { year, month, date, time } = partsOf(at, timeZone);
  if (isNear(at, now)) return time.slice(0, 5);
  return year === partsOf(now, timeZone).year ? `${date} ${month}, ${time.slice(0, 5)}` : `${date} ${month} ${year}`;
}

/** Says a moment in full: `Mon 23 Nov 2026, 02:05:42`. */
export function sayFully(at: Date, timeZone: string): string {
  const { day, year, month, date, time } = partsOf(at, timeZone);
  return `${WEEKDAYS[new Date(`${day}T00:00:00Z`).getUTCDay()]} ${date} ${month} ${year}, ${time}`;
}

/** Says a moment in each of these zones, each once, and in UTC: `Mon 23 Nov 2026, 02:05:42 New York · 07:05:42 UTC`. */
export function sayInZones(at: Date, timeZones: readonly string[]): string {
  const [first = 'UTC', ...others] = new Set([...timeZones, 'UTC']);
  const { day } = partsOf(at, first);
  const rest = others.map((zone) => {
    const isSameDay = partsOf(at, zone).day === day;
    return `${isSameDay ? partsOf(at, zone).time : sayFully(at, zone)} ${nameZone(zone)}`;
  });
  return [`${sayFully(at, first)} ${nameZone(first)}`, ...rest].join(' · ');
}

/** Names a zone by its city: `New York`. */
export function nameZone(timeZone: string): string {
  return timeZone.split('/').at(-1)!.replaceAll('_', ' ');
}

/** Returns whether a moment is less than a day away, so that the distance says more than the date. */
export function isNear(at: Date, now: Date): boolean {
  return Math.abs(at.getTime() - now.getTime()) < DAY_MS;
}

/** Says how far away a moment is: `just now`, `51 min ago`, `in 3 h`. The script of the page keeps it true. */
export function sayDistance(at: Date, now: Date): string {
  const minutes = Math.floor(Math.abs(at.getTime() - now.getTime()) / MINUTE_MS);
  if (minutes === 0) return at <= now ? 'just now' : 'in a moment';
  const amount = minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
  return at <= now ? `${amount} ago` : `in ${amount}`;
}

/** Says how long something took: `4 s`, `3 min`, `2 h`. */
export function sayDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
}
