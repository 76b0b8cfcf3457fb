import type { ReportField, ReportRow } from '../../../schemas/reports.ts';
import { momentsInZone } from '../../calendar/moments-in-zone.ts';
import type { JournalEntry } from '../books/journal-entry.ts';
import type { Parameters } from '../soap/read-parameters.ts';
import type { Face } from './face.ts';

export type ChosenEntries = {
  readonly entries: readonly JournalEntry[];
  /** Whether all that was asked for is still to come. */
  readonly isFuture: boolean;
};

/**
 * The lines of the journal that a report asks for: those of a day, or those from one moment to another, both included, of
 * which `startIndex` and `endIndex` cut out a part. A date that is left out is the first day of all to .NET, so nothing is
 * of that day or before that moment.
 */
export function chooseEntries(
  { method, list, period }: Pick<ReportRow, 'method' | 'list' | 'period'>,
  journal: readonly JournalEntry[],
  asked: Asked,
): ChosenEntries {
  const entries = journal.filter((entry) => entry.method === method && entry.list === list);
  return period === 'day' ? chooseDay(entries, asked) : chooseRange(entries, asked);
}

export type Asked = { readonly parameters: Parameters; readonly face: Face; readonly now: Date };

function chooseDay(entries: readonly JournalEntry[], asked: Asked): ChosenEntries {
  const { now } = asked;
  const date = momentOf('date', asked);
  if (!date) return { entries: [], isFuture: false };
  const isOfDay = dayAround(date, asked);
  return {
    entries: entries.filter((entry) => isOfDay(Date.parse(entry.at))),
    isFuture: date > now && !isOfDay(now.getTime()),
  };
}

/**
 * The day that a moment is of in the zone of the server, as the service is said to compare. But whoever writes midnight
 * with an offset means the day that begins there: clients that ask for today do it by their own clocks, and the strict
 * rule would give them yesterday.
 */
function dayAround(date: Date, { parameters, face }: Asked): (ms: number) => boolean {
  const isMidnight = /T00:00:00(?:\.0+)?(?:Z|[+-]\d\d:\d\d)\s*$/.test(parameters.text('date') ?? '');
  if (isMidnight) return (ms) => ms >= date.getTime() && ms < date.getTime() + DAY_MS;
  const day = face.dayOf(date);
  return (ms) => face.dayOf(new Date(ms)) === day;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Reports show whole seconds, so 23:59:59 is the end of a day. */
function chooseRange(entries: readonly JournalEntry[], asked: Asked): ChosenEntries {
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

/** Our assumption: an index counts from 0 and is included, and one that is no number counts as not given. */
function indexOf(name: ReportField, { parameters }: Asked): number | undefined {
  const text = parameters.text(name)?.trim() ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** A time without an offset is that of the server. */
function momentOf(name: ReportField, { parameters, face }: Asked): Date | undefined {
  const moment = parameters.moment(name);
  const hasOffset = /(?:Z|[+-]\d\d:\d\d)\s*$/.test(parameters.text(name) ?? '');
  if (!moment || hasOffset) return moment;
  return momentsInZone(moment.toISOString().slice(0, 19), face.timeZone)[0] ?? moment;
}
