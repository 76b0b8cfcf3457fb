import { REPORT_TIMES, type ReportField, type ReportRow } from '../../../schemas/reports.ts';
import { dayInZone, formatInZone, momentsInZone, startOfDay } from '../../calendar/zone-time.ts';
import type { JournalEntry } from '../books/book-row.ts';
import type { Parameters } from '../soap/read-parameters.ts';
import type { Account } from '../handlers/handler.ts';

type ChosenEntries = {
  readonly entries: readonly JournalEntry[];
  /** Whether the whole requested period is in the future. */
  readonly isFuture: boolean;
};

/**
 * Returns the entries that a report covers: those of a day, or those between two moments, both included. `startIndex`
 * and `endIndex` cut a part out of a range. .NET reads an omitted date as its first day, so no entry is on that day or
 * before that moment.
 */
export function chooseEntries(
  { method, list, period }: Pick<ReportRow, 'method' | 'list' | 'period'>,
  journal: readonly JournalEntry[],
  asked: EntryQuery,
): ChosenEntries {
  const entries = journal.filter((entry) => entry.method === method && entry.list === list);
  return period === 'day' ? chooseDay(entries, asked) : chooseRange(entries, asked);
}

type EntryQuery = { readonly parameters: Parameters; readonly face: Face; readonly now: Date };

function chooseDay(entries: readonly JournalEntry[], asked: EntryQuery): ChosenEntries {
  const { now } = asked;
  const date = momentOf('date', asked);
  if (!date) return { entries: [], isFuture: false };
  const [fromMs, toMs] = dayAround(date, asked);
  const isOfDay = (ms: number) => ms >= fromMs && ms < toMs;
  return {
    entries: entries.filter((entry) => isOfDay(Date.parse(entry.at))),
    isFuture: date > now && !isOfDay(now.getTime()),
  };
}

/**
 * Returns the first moment of the day of a moment in the server's zone, and of the day after: 23 or 25 hours when the
 * clocks change. The service is said to compare so. Midnight in another zone means the 24 hours that begin there, and
 * 23:59:59 those that end there. Clients request today by their own clocks, and the strict rule would return another day.
 */
function dayAround(date: Date, { parameters, face }: EntryQuery): readonly [number, number] {
  const day = face.dayOf(date);
  const start = startOfDay(day, face.timeZone) ?? date;
  const [, time] = /T(00:00:00|23:59:59)(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)\s*$/.exec(parameters.text('date') ?? '') ?? [];
  const ownMs = Math.floor(date.getTime() / 1000) * 1000 - (time === '23:59:59' ? DAY_MS - 1000 : 0);
  if (time !== undefined && start.getTime() !== ownMs) return [ownMs, ownMs + DAY_MS];
  const next = new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
  const end = startOfDay(next, face.timeZone) ?? new Date(start.getTime() + DAY_MS);
  return [start.getTime(), end.getTime()];
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Compares whole seconds, as reports show them, so 23:59:59 is the end of a day. */
function chooseRange(entries: readonly JournalEntry[], asked: EntryQuery): ChosenEntries {
  const from = secondsOf(momentOf('fromDate', asked)) ?? Number.NEGATIVE_INFINITY;
  const to = secondsOf(momentOf('toDate', asked)) ?? Number.NEGATIVE_INFINITY;
  const within = entries.filter(({ at }) => {
    const seconds = secondsOf(new Date(at)) ?? Number.NaN;
    return seconds >= from && seconds <= to;
  });
  const first = indexOf('startIndex', asked) ?? 0;
  const last = indexOf('endIndex', asked) ?? within.length;
  return { entries: within.slice(first, last + 1), isFuture: from > (secondsOf(asked.now) ?? 0) };
}

function secondsOf(moment: Date | undefined): number | undefined {
  return moment && Math.floor(moment.getTime() / 1000);
}

/** Reads an index. Assumption: it counts from 0 and is included; text that is not a number counts as omitted. */
function indexOf(name: ReportField, { parameters }: EntryQuery): number | undefined {
  const text = parameters.text(name)?.trim() ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Reads a time; without an offset it is in the server's zone. */
function momentOf(name: ReportField, { parameters, face }: EntryQuery): Date | undefined {
  const moment = parameters.moment(name);
  const hasOffset = /(?:Z|[+-]\d\d:\d\d)\s*$/.test(parameters.text(name) ?? '');
  if (!moment || hasOffset) return moment;
  return momentsInZone(moment.toISOString().slice(0, 19), face.timeZone)[0] ?? moment;
}

export type Face = ReturnType<typeof faceOf>;

/** Returns how an account's server writes and compares times in its reports; without a server, as NA does. */
export function faceOf({ server = 'NA' }: Pick<Account, 'server'>) {
  const { timeZone, order } = REPORT_TIMES[server];
  const xmlTime = (at: Date) => formatInZone(at, timeZone).slice(0, 19).replace(' ', 'T');
  return {
    /** Whether range reports have the column `ACH Ref.`, which names the account at the bank. */
    hasBankReference: server === 'UK',
    timeZone,
    /** Returns `06/15/2017 10:11:12`, or with the day first. */
    writeTime: (at: Date): string => {
      const [year, month, day] = dayInZone(at, timeZone).split('-');
      const date = order === 'day/month/year' ? `${day}/${month}/${year}` : `${month}/${day}/${year}`;
      return `${date} ${xmlTime(at).slice(11)}`;
    },
    /** Returns `2017-06-15T10:11:12`. */
    writeXmlTime: xmlTime,
    /** Returns the calendar day, `2017-06-15`. */
    dayOf: (at: Date): string => dayInZone(at, timeZone),
  };
}
