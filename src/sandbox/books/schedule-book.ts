import type { Customer } from '../customers/customer.ts';
import type { StoredCustomer } from './book-row.ts';

/** A recurring payment that is due. */
export type DueRun = {
  /** Key of the customer record. */
  readonly key: string;
  readonly account: string;
  readonly customerCode: string;
  readonly dueMs: number;
};

/** The customer records with recurring payments, and how far each has paid. */
export type ScheduleBook = {
  /** Returns whether anything is due by then; fast, because every call uses it. */
  hasDue(untilMs: number): boolean;
  /** Lists the earliest unbooked runs that are due by then, in order. */
  listDue(untilMs: number, most: number): readonly DueRun[];
  /** Takes a record that was created or changed; drops a record that is no longer recurring. */
  keep(stored: StoredCustomer): void;
  forget(key: string): void;
  /** Notes that a run was booked, so that it is never due again. */
  noteRun(key: string, dueMs: number): void;
};

export function keepSchedules(open: (stored: StoredCustomer) => Customer): ScheduleBook {
  const plans = new Map<string, Plan>();
  /** Kept when a record is deleted, because its code may be used again. */
  const lastRuns = new Map<string, number>();
  /** Undefined when it must be recomputed. */
  let earliestMs: number | undefined;

  function startRuns(untilMs: number): Turn[] {
    return [...plans].flatMap(([key, { account, customerCode, schedule, fromMs }]) => {
      const afterMs = Math.max(fromMs, lastRuns.get(key) ?? Number.NEGATIVE_INFINITY);
      const moments = dueMoments(schedule, afterMs, untilMs);
      const first = moments.next();
      return first.done ? [] : [{ run: { key, account, customerCode, dueMs: first.value }, moments }];
    });
  }

  function findEarliest(): number {
    const firsts = startRuns(Number.POSITIVE_INFINITY).map(({ run }) => run.dueMs);
    return firsts.reduce((earliest, dueMs) => Math.min(earliest, dueMs), Number.POSITIVE_INFINITY);
  }

  return {
    hasDue: (untilMs) => {
      if (plans.size === 0) return false;
      earliestMs ??= findEarliest();
      return earliestMs <= untilMs;
    },
    listDue: (untilMs, most) => takeEarliest(startRuns(untilMs), most),
    keep: (stored) => {
      earliestMs = undefined;
      plans.delete(stored.key);
      if (stored.scheduledFrom === undefined) return;
      const { code, schedule } = open(stored);
      const fromMs = Date.parse(stored.scheduledFrom);
      plans.set(stored.key, { account: stored.account, customerCode: code, schedule, fromMs });
    },
    forget: (key) => {
      earliestMs = undefined;
      plans.delete(key);
    },
    noteRun: (key, dueMs) => {
      earliestMs = undefined;
      lastRuns.set(key, Math.max(lastRuns.get(key) ?? Number.NEGATIVE_INFINITY, dueMs));
    },
  };
}

type Plan = {
  readonly account: string;
  readonly customerCode: string;
  readonly schedule: Customer['schedule'];
  /** Runs that were due before the last change of the record are not made up for. */
  readonly fromMs: number;
};

type Turn = { readonly run: DueRun; readonly moments: Generator<number> };

function takeEarliest(turns: Turn[], most: number): DueRun[] {
  const runs: DueRun[] = [];
  let waiting = turns;
  while (runs.length < most) {
    const earliest = waiting.reduce<Turn | undefined>(
      (best, turn) => (best && best.run.dueMs <= turn.run.dueMs ? best : turn),
      undefined,
    );
    if (!earliest) break;
    runs.push(earliest.run);
    const next = earliest.moments.next();
    const rest = next.done ? [] : [{ ...earliest, run: { ...earliest.run, dueMs: next.value } }];
    waiting = [...waiting.filter((turn) => turn !== earliest), ...rest];
  }
  return runs;
}

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
