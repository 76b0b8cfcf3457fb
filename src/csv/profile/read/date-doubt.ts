import type { Profile, Title } from '../../../../schemas/profiles.ts';
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
  let last = { date: '', written: 0, exchanged: undefined as number | undefined };

  /**
   * @param date MM/DD/YYYY
   * @returns how far away the date is if that is too far
   */
  function take(date: string): string | undefined {
    // Most rows have the date of the row before.
    if (date !== last.date) last = { date, ...bothWays(date) };
    written.add(last.written);
    exchanged.add(last.exchanged);
    return isOutside(last.written) ? farAway(last.written - todayNumber) : undefined;
  }

  function isOutside(number: number): boolean {
    return number < todayNumber - check.dates.back || number > todayNumber + check.dates.ahead;
  }

  function faults(): Fault[] {
    if (!isExchangeable || written.rows() === 0) return [];
    const isNarrower =
      exchanged.unread() === 0 && exchanged.days() <= FEW_DAYS && written.days() > MANY_DAYS && !isTimely();
    const isNearer = written.outside() * SUSPICIOUS_SHARE > written.rows() && exchanged.outside() < written.outside();
    if (!isNarrower && !isNearer) return [];
    return [{ code: 'DATE_DOUBT', line: 0, detail: `${written.said()}; exchanged, ${exchanged.said()}` }];
  }

  /**
   * Dues of several months on the same day also lie close together when exchanged. They are not doubted if they reach
   * up to today, and the file would be months old if they were exchanged.
   */
  function isTimely(): boolean {
    return Math.abs(written.last() - todayNumber) <= FEW_DAYS && todayNumber - exchanged.last() > MANY_DAYS;
  }

  return { take, faults };
}

function bothWays(date: string) {
  const [month = 0, day = 0, year = 0] = date.split('/').map(Number);
  return { written: dayNumber(year, month, day), exchanged: day > 12 ? undefined : dayNumber(year, day, month) };
}

function farAway(days: number): string {
  return `${Math.abs(days)} days ${days < 0 ? 'ago' : 'ahead'}`;
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

  return {
    add,
    said,
    rows: () => rows,
    unread: () => unread,
    outside: () => outside,
    days: () => last - first,
    last: () => last,
  };
}

/** Forms of two numbers of two digits, which may be month and year or the other way round. */
const TWO_AND_TWO = /^(?:MM[^MY]*YY|YY[^MY]*MM)$/;

/** Cards are not made for longer. */
const LONGEST_MONTHS = 120;

/** More than one in five is odd as written, and nine in ten can be read the other way. */
const ODD_SHARE = 5;
const OTHER_TENTHS = 9;

/**
 * Looks at all expiry dates of a file for the sign that month and year are exchanged. It never changes one.
 * @param today YYYY-MM-DD
 */
export function expiryDoubt({ columns }: Profile, today: string, placeOf: (title: Title) => number) {
  const { from, format = '' } = columns.expiry ?? {};
  const place = from !== undefined && TWO_AND_TWO.test(format) ? placeOf(from) : -1;
  const startsWithMonth = format.startsWith('M');
  const thisMonth = Number(today.slice(0, 4)) * 12 + Number(today.slice(5, 7));
  let rows = 0;
  let odd = 0;
  let readable = 0;

  function take(cells: readonly string[]): void {
    if (place < 0) return;
    const cell = cells[place]!.trim();
    const first = Number(cell.slice(0, 2));
    const second = Number(cell.slice(-2));
    if (cell.length !== format.length || Number.isNaN(first + second)) return;
    const [month, year] = startsWithMonth ? [first, second] : [second, first];
    const isOdd = !isMonth(month) || !isPlausible(month, year);
    rows += 1;
    if (isOdd) odd += 1;
    if (isMonth(year) && (isOdd || isPlausible(year, month))) readable += 1;
  }

  function isPlausible(month: number, year: number): boolean {
    const months = (2000 + year) * 12 + month - thisMonth;
    return months >= 0 && months <= LONGEST_MONTHS;
  }

  function faults(): Fault[] {
    if (odd * ODD_SHARE <= rows || readable * 10 < rows * OTHER_TENTHS) return [];
    const detail = `as ${format}, ${odd} of ${rows} are past, too far ahead or no month; exchanged, ${readable} can be read`;
    return [{ code: 'EXPIRY_DOUBT', line: 0, detail }];
  }

  return { take, faults };
}

function isMonth(month: number): boolean {
  return month >= 1 && month <= 12;
}
