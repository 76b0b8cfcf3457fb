import type { Profile } from '../../../../schemas/profiles.ts';
import type { Fault } from '../../../rows/rows.ts';

const DAY_MS = 86_400_000;

/** Forms of two numbers at the beginning, which may be day and month or the other way round. */
const DAY_AND_MONTH = /^(?:D{1,2}[^DMY]*M{1,2}(?!M)|M{1,2}[^DMY]*D)/;

/** In the doubtful order the dates spread over more days than this, in the other one over fewer than `FEW_DAYS`. */
const MANY_DAYS = 92;
const FEW_DAYS = 31;

/** One of so many dates outside is suspicious. */
const SUSPICIOUS_SHARE = 20;

/**
 * Looks at all dates of a file. It finds those that are too far away, and whether day and month seem to be exchanged.
 * It never changes one.
 * @param today YYYY-MM-DD
 */
export function dateDoubt({ columns, check }: Profile, today: string) {
  const isExchangeable = DAY_AND_MONTH.test(columns.date?.format ?? '');
  const todayNumber = Date.parse(today) / DAY_MS;
  const written = dateRange(isOutside);
  const exchanged = dateRange(isOutside);
  let last = '';
  let lastFault: string | undefined;

  /**
   * @param date MM/DD/YYYY
   * @returns how far away the date is if that is too far
   */
  function take(date: string): string | undefined {
    const month = Number(date.slice(0, 2));
    const day = Number(date.slice(3, 5));
    const year = Number(date.slice(6));
    const number = dayNumber(year, month, day);
    written.add(number);
    exchanged.add(day > 12 ? undefined : dayNumber(year, day, month));
    // Most rows have the date of the row before.
    if (date !== last) lastFault = farAway(number);
    last = date;
    return lastFault;
  }

  function isOutside(number: number): boolean {
    return number < todayNumber - check.dates.back || number > todayNumber + check.dates.ahead;
  }

  function farAway(number: number): string | undefined {
    const days = number - todayNumber;
    return isOutside(number) ? `${Math.abs(days)} days ${days < 0 ? 'ago' : 'ahead'}` : undefined;
  }

  function faults(): Fault[] {
    if (!isExchangeable || written.rows() === 0) return [];
    const isNarrower = exchanged.unread() === 0 && exchanged.days() <= FEW_DAYS && written.days() > MANY_DAYS;
    const isNearer = written.outside() * SUSPICIOUS_SHARE > written.rows() && exchanged.outside() < written.outside();
    if (!isNarrower && !isNearer) return [];
    return [{ code: 'DATE_DOUBT', line: 0, detail: `${written.said()}; exchanged, ${exchanged.said()}` }];
  }

  return { take, faults };
}

function dayNumber(year: number, month: number, day: number): number {
  return Date.UTC(year, month - 1, day) / DAY_MS;
}

/** First and last of some days, and how many are outside. A day that the calendar does not have is outside. */
function dateRange(isOutside: (day: number) => boolean) {
  let first = Infinity;
  let last = -Infinity;
  let rows = 0;
  let unread = 0;
  let outside = 0;

  function add(day: number | undefined): void {
    rows += 1;
    if (day === undefined) unread += 1;
    else if (day < first || day > last) {
      first = Math.min(first, day);
      last = Math.max(last, day);
    }
    if (day === undefined || isOutside(day)) outside += 1;
  }

  function said(): string {
    const shown = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);
    const days = first > last ? 'none is a day' : `they go from ${shown(first)} to ${shown(last)}`;
    return `${days}, ${outside} of ${rows} too far away`;
  }

  return { add, said, rows: () => rows, unread: () => unread, outside: () => outside, days: () => last - first };
}
