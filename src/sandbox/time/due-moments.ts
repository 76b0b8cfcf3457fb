/** Fields of a customer record that say when it pays, by their names in the spec. */
export type DueSchedule = {
  readonly recurring: boolean;
  /** `2017-06-16T00:00:00` in UTC, like `endDate`. */
  readonly beginDate: string;
  readonly endDate: string;
  readonly scheduleType: string;
  readonly scheduleDate: string;
};

/**
 * Yields the moments at which a recurring payment is due, earliest first.
 *
 * Weekly is day 1 (Sunday) to 7 (Saturday). Monthly is a day of the month, or the last day of a shorter month.
 * Quarterly and annually use the day of the begin date in the same way. The begin and end dates are included.
 * Assumptions without a source: days are UTC, the hour is that of the begin date, and a schedule that makes no sense is
 * never due.
 *
 * Moments are computed one by one on request, so a schedule of thousands of years costs nothing by itself.
 * @param afterMs exclusive
 * @param untilMs inclusive
 */
export function* dueMoments(schedule: DueSchedule, afterMs: number, untilMs: number): Generator<number> {
  const beginMs = Date.parse(`${schedule.beginDate}Z`);
  const endMs = Date.parse(`${schedule.endDate.slice(0, 10)}T23:59:59.999Z`);
  const series = schedule.recurring ? findSeries(schedule, beginMs) : undefined;
  if (!series || Number.isNaN(beginMs) || Number.isNaN(endMs)) return;
  for (let turn = series.turnBefore(Math.max(beginMs, afterMs)); ; turn += 1) {
    const dueMs = series.momentOf(turn);
    if (dueMs > untilMs || dueMs > endMs) return;
    if (dueMs > afterMs && dueMs >= beginMs) yield dueMs;
  }
}

/** An endless, numbered series of moments. */
type Series = {
  readonly momentOf: (turn: number) => number;
  /** A turn whose moment is not after `ms`, and not many turns before it. */
  readonly turnBefore: (ms: number) => number;
};

const DAY_MS = 24 * 60 * 60 * 1000;
const WEEK_MS = 7 * DAY_MS;

function findSeries({ scheduleType, scheduleDate }: DueSchedule, beginMs: number): Series | undefined {
  const begin = new Date(beginMs);
  const date = /^\s*\d{1,2}\s*$/.test(scheduleDate) ? Number(scheduleDate) : 0;
  switch (scheduleType.trim().toLowerCase()) {
    case 'weekly':
      return date >= 1 && date <= 7 ? weekly(begin, date - 1) : undefined;
    case 'monthly':
      return date >= 1 && date <= 31 ? everyMonths(begin, 1, date) : undefined;
    case 'quarterly':
      return everyMonths(begin, 3, begin.getUTCDate());
    case 'annually':
      return everyMonths(begin, 12, begin.getUTCDate());
    default:
      return undefined;
  }
}

/** @param weekday 0 is Sunday */
function weekly(begin: Date, weekday: number): Series {
  const firstMs = begin.getTime() + ((weekday - begin.getUTCDay() + 7) % 7) * DAY_MS;
  return {
    momentOf: (turn) => firstMs + turn * WEEK_MS,
    turnBefore: (ms) => Math.floor((ms - firstMs) / WEEK_MS),
  };
}

function everyMonths(begin: Date, step: number, day: number): Series {
  const timeMs = begin.getTime() - Math.floor(begin.getTime() / DAY_MS) * DAY_MS;
  const firstMonth = monthOf(begin);
  return {
    momentOf: (turn) => dayOfMonth(firstMonth + turn * step, day) + timeMs,
    turnBefore: (ms) => Math.floor((monthOf(new Date(ms)) - firstMonth) / step) - 1,
  };
}

/** Returns the months since year 0. */
function monthOf(date: Date): number {
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** Returns midnight of that day, or of the last day of a shorter month. */
function dayOfMonth(month: number, day: number): number {
  const lastDay = new Date(utc(month + 1, 1) - DAY_MS).getUTCDate();
  return utc(month, Math.min(day, lastDay));
}

/** Replaces `Date.UTC`, which maps the years 0 to 99 to the twentieth century. */
function utc(month: number, day: number): number {
  return new Date(0).setUTCFullYear(Math.floor(month / 12), month % 12, day);
}
