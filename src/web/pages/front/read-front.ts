import { expectedTimes } from '../../../../workers/schedule/check-expected.ts';
import { readDayReport } from '../../../../workers/schedule/read-day-report.ts';
import { nextDate } from '../../../calendar/business-dates.ts';
import type { Settings } from '../../../config/config.ts';
import { retentionDays } from '../../../config/account-rules.ts';
import { nextSendAt } from '../../../calendar/send-window.ts';
import { dayInZone, sharedZone } from '../../../calendar/zone-time.ts';
import type { Ledger } from '../../../ledger/engine/open-ledger.ts';
import { findUnreached } from '../../../ledger/alarm/find-alarm-causes.ts';
import { findExpiring } from '../../../ledger/retention/retention.ts';
import { readAuditHead } from '../../../ledger/overview/list-audit.ts';
import { hasFiles, readOpenAges, readOpenFiles } from '../../../ledger/overview/overview.ts';
import { readWithheldFiles } from '../../../ledger/file/file-figures.ts';
import { readNeeds } from '../../../explain/needs-you.ts';
import { readShown } from '../../../explain/read-blocks.ts';
import { readSchedules } from '../../../explain/read-schedules.ts';
import { listSeenDrops } from '../../../explain/waiting-drops.ts';
import { readObstacles } from '../../../../workers/upkeep/alarms/obstacles.ts';
import type { DayReport } from '../../../reconcile/outputs/day-report.ts';
import type { WebContext } from '../../web-context.ts';
import { findUnready } from '../../monitor/read-samples.ts';
import { zoneOf } from '../../zone-of.ts';
import { type DaySpan, type DaySum, sumDays } from '../../../ledger/schedule/read-day.ts';
import type { Outcome } from '../../../../schemas/lifecycle.ts';
import type { Withheld } from '../../../rows/rows.ts';
import { addDays, dayBounds } from '../../../calendar/calendar.ts';

/** Something that will or should happen on its own; `at` is null when it never will. */
export type Coming = { readonly what: string; readonly at: Date | null; readonly timeZone: string };

/** Everything on the front page. */
export type Front = Awaited<ReturnType<typeof readFront>>;

/** How far ahead expiries are shown, in ms. */
const AHEAD_MS = 30 * 86_400_000;

/**
 * @param days as opened once for all viewers
 * @param looks.actor who looks, as in the audit trail
 * @param looks.account to which the month is limited; undefined for all
 */
export async function readFront(
  { app, drops }: WebContext,
  { readToday, readMonth }: ReturnType<typeof openDays>,
  { actor, account }: { actor: string; account?: string | undefined },
) {
  const { ledger, settings } = app;
  const now = ledger.clock.now();
  // Before the files are read: a drop that is taken meanwhile then shows twice for a moment, and not nowhere.
  await drops.refresh();
  const seen = listSeenDrops(app);
  const [open, needs, isUsed, unreached, unready, today, days, schedules, expiring, obstacles, withheld, ages] =
    await Promise.all([
      readOpenFiles(ledger),
      readNeeds(ledger, settings, actor),
      hasFiles(ledger),
      findUnreached(ledger),
      findUnready(app),
      readToday(),
      readMonth(account),
      readSchedules(ledger, settings),
      findExpiring(ledger, retentionDays(settings), new Date(now.getTime() + AHEAD_MS)),
      readObstacles(ledger, settings),
      readWithheldFiles(ledger),
      readOpenAges(ledger),
    ]);
  const runs = schedules.map(({ name, nextAt: at, timeZone }) => ({ what: `Schedule ${name} runs`, at, timeZone }));
  return {
    open: await readShown(ledger, settings, open),
    seen,
    needs,
    isUsed,
    unreached,
    obstacles,
    withheld,
    unready,
    today,
    month: days,
    account,
    ages,
    coming: [...runs, ...comingWindows(settings, now), ...comingFiles(settings, now)].sort(byMoment),
    expiring,
    zone: sharedZone(settings),
    zoneOf: (account: string) => zoneOf(settings, account),
    currencyOf: (account: string) => settings.accounts.get(account)?.currency,
  };
}

/** Opens the readers of days, which remember between two viewings what cannot have changed. */
export function openDays(ledger: Ledger, settings: Pick<Settings, 'accounts'>) {
  return { readToday: openToday(ledger, settings), readMonth: openMonth(ledger, settings) };
}

/**
 * Reads today's report of each account, again only after the audit trail has changed: every move adds to it, and a
 * restored ledger has another.
 */
export function openToday(ledger: Ledger, settings: Pick<Settings, 'accounts'>): () => Promise<DayReport[]> {
  let last: { key: string; reports: DayReport[] } = { key: '', reports: [] };
  return async () => {
    const { hash } = await readAuditHead(ledger);
    const now = ledger.clock.now();
    const accounts = [...settings.accounts.values()];
    const asked = accounts.map((account) => ({ account, day: dayInZone(now, account.timeZone) }));
    const key = [hash, ...asked.map(({ day }) => day)].join();
    if (key === last.key) return last.reports;
    const reports: DayReport[] = [];
    // One account after another: each read takes a connection, and the workers need some too.
    for (const { account, day } of asked) reports.push(await readDayReport(ledger, account, day));
    last = { key, reports };
    return reports;
  };
}

function comingWindows({ accounts }: Pick<Settings, 'accounts'>, now: Date): Coming[] {
  return [...accounts.values()].flatMap((account) => {
    const at = nextSendAt(account, now);
    if (at === now) return [];
    return [{ what: `Account ${account.name} may send again`, at: at ?? null, timeZone: account.timeZone }];
  });
}

function comingFiles(settings: Pick<Settings, 'accounts' | 'folders'>, now: Date): Coming[] {
  return settings.folders.flatMap((folder) => {
    const times = expectedTimes(settings, folder);
    const next = times && nextDate(times, now);
    return next ? [{ what: `A file is expected in ${folder.id}`, at: next.at, timeZone: times.timeZone }] : [];
  });
}

function byMoment(one: Coming, other: Coming): number {
  return (one.at?.getTime() ?? Number.MAX_SAFE_INTEGER) - (other.at?.getTime() ?? Number.MAX_SAFE_INTEGER);
}

/** A day over all accounts, with money per currency. */
export type MonthDay = {
  readonly day: string;
  readonly rows: number;
  readonly declined: number;
  readonly cents: Readonly<Record<string, number>>;
  /** The same by first outcome. */
  readonly outcomes: Readonly<Record<string, DaySum['outcomes']>>;
  /** As of `sumDays`, where the days are of one account: those of several cannot be added up. */
  readonly waits?: DaySum['waits'];
  /** Rows not sent because of their faults, by currency; a currency without any is absent. */
  readonly withheld: Readonly<Record<string, Withheld>>;
};

/** Number of days, today included. */
export const MONTH_DAYS = 30;

/**
 * Reads what ended on each of the last days, the earliest first, for one account or all. Each uses the days of its own
 * zone.
 */
export type MonthReader = (account?: string) => Promise<MonthDay[]>;

/** How long after its end a host with a slow clock may still add to a day, in ms. */
const SETTLE_MS = 3_600_000;

/**
 * Reads the last days and caches those that are over: nothing leaves a final state, so their figures are fixed. The
 * others are read again once the audit trail has changed, to which every move of a batch or file adds.
 */
export function openMonth(ledger: Ledger, settings: Pick<Settings, 'accounts'>): MonthReader {
  let known = new Map<string, DaySum | undefined>();
  let last = { hash: '', sums: known };
  return async (account) => {
    const now = ledger.clock.now();
    const spans = spansOf(settings, now);
    const { hash } = await readAuditHead(ledger);
    const cached = hash === last.hash ? last.sums : known;
    const asked = spans.filter((span) => !cached.has(keyOf(span)));
    const fresh = new Map((asked.length === 0 ? [] : await sumDays(ledger, asked)).map((sum) => [keyOf(sum), sum]));
    const sums = new Map(spans.map((span) => [keyOf(span), cached.get(keyOf(span)) ?? fresh.get(keyOf(span))]));
    const settledAt = now.getTime() - SETTLE_MS;
    last = { hash, sums };
    // Keeps these days only, so that the cache does not grow.
    known = new Map(
      spans.filter(({ until }) => until.getTime() <= settledAt).map((span) => [keyOf(span), sums.get(keyOf(span))]),
    );
    const isOwn = (of: { account: string }) => account === undefined || of.account === account;
    const own = [...sums.values()].filter((sum) => sum !== undefined);
    return addUp(spans.filter(isOwn), own.filter(isOwn), settings);
  };
}

function keyOf({ account, day }: Pick<DaySpan, 'account' | 'day'>): string {
  return `${day} ${account}`;
}

function addUp(
  spans: readonly DaySpan[],
  sums: readonly DaySum[],
  { accounts }: Pick<Settings, 'accounts'>,
): MonthDay[] {
  const days = [...new Set(spans.map(({ day }) => day))].sort();
  const isOne = new Set(spans.map(({ account }) => account)).size === 1;
  return days.map((day) => {
    const cents: Record<string, number> = {};
    const outcomes: Record<string, DaySum['outcomes']> = {};
    const withheld: Record<string, Withheld> = {};
    const own = sums.filter((sum) => sum.day === day);
    let [rows, declined] = [0, 0];
    for (const sum of own) {
      const { currency } = accounts.get(sum.account)!;
      if (sum.rows > 0) cents[currency] = (cents[currency] ?? 0) + sum.cents;
      if (sum.rows > 0) outcomes[currency] = addOutcomes(sum.outcomes, outcomes[currency]);
      if (sum.withheld.rows > 0) withheld[currency] = addWithheld(sum.withheld, withheld[currency]);
      rows += sum.rows;
      declined += sum.declined;
    }
    const waits = isOne ? { waits: own[0]?.waits ?? null } : {};
    return { day, rows, declined, cents, outcomes, withheld, ...waits };
  });
}

function addOutcomes(one: DaySum['outcomes'], other: DaySum['outcomes'] = {}): DaySum['outcomes'] {
  const names = Object.keys({ ...one, ...other }) as Outcome[];
  return Object.fromEntries(names.map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
}

function addWithheld(one: Withheld, other: Withheld = { rows: 0, cents: 0, unreadable: 0 }): Withheld {
  return {
    rows: one.rows + other.rows,
    cents: one.cents + other.cents,
    unreadable: one.unreadable + other.unreadable,
  };
}

function spansOf({ accounts }: Pick<Settings, 'accounts'>, now: Date): DaySpan[] {
  // Accounts share zones, and computing the days of a zone takes a while.
  const byZone = new Map<string, Omit<DaySpan, 'account'>[]>();
  return [...accounts.values()].flatMap(({ name: account, timeZone }) => {
    const days = byZone.get(timeZone) ?? lastDays(timeZone, now);
    byZone.set(timeZone, days);
    return days.map((day) => ({ account, ...day }));
  });
}

function lastDays(timeZone: string, now: Date): Omit<DaySpan, 'account'>[] {
  const today = dayInZone(now, timeZone);
  return Array.from({ length: MONTH_DAYS }, (_, index) => addDays(today, index + 1 - MONTH_DAYS)).flatMap((day) => {
    const bounds = dayBounds(day, timeZone);
    return bounds ? [{ day, ...bounds }] : [];
  });
}
