import { expectedTimes } from '../../../../workers/schedule/check-expected.ts';
import { readDayReport } from '../../../../workers/schedule/read-day-report.ts';
import { nextDate } from '../../../calendar/business-dates.ts';
import type { Settings } from '../../../config/config.ts';
import { retentionDays } from '../../../config/retention-days.ts';
import { nextSendAt } from '../../../calendar/send-window.ts';
import { dayInZone, sharedZone } from '../../../calendar/zone-time.ts';
import type { Ledger } from '../../../ledger/engine/open-ledger.ts';
import { findUnreached } from '../../../ledger/alarm/find-alarm-causes.ts';
import { findExpiring } from '../../../ledger/retention/retention.ts';
import { hasFiles, readOpenFiles } from '../../../ledger/overview/overview.ts';
import { readWithheldFiles } from '../../../ledger/row/read-withheld.ts';
import { readNeeds } from '../../../explain/needs-you.ts';
import { readShown } from '../../../explain/read-blocks.ts';
import { readSchedules } from '../../../explain/read-schedules.ts';
import { readObstacles } from '../../../../workers/upkeep/alarms/obstacles.ts';
import type { DayReport } from '../../../reconcile/outputs/day-report.ts';
import type { WebContext } from '../../web-context.ts';
import { findUnready } from '../../monitor/find-unready.ts';
import { zoneOf } from '../../zone-of.ts';
import type { MonthReader } from './month.tsx';

/** Something that will or should happen on its own; `at` is null when it never will. */
export type Coming = { readonly what: string; readonly at: Date | null; readonly timeZone: string };

/** Everything on the front page. */
export type Front = Awaited<ReturnType<typeof readFront>>;

/** How far ahead expiries are shown, in ms. */
const AHEAD_MS = 30 * 86_400_000;

/** @param actor who looks, as in the audit trail */
export async function readFront({ app }: WebContext, readMonth: MonthReader, actor: string) {
  const { ledger, settings } = app;
  const now = ledger.clock.now();
  const [open, needs, isUsed, unreached, unready, today, days, schedules, expiring, obstacles, withheld] =
    await Promise.all([
      readOpenFiles(ledger),
      readNeeds(ledger, settings, actor),
      hasFiles(ledger),
      findUnreached(ledger),
      findUnready(app),
      readToday(ledger, settings),
      readMonth(),
      readSchedules(ledger, settings),
      findExpiring(ledger, retentionDays(settings), new Date(now.getTime() + AHEAD_MS)),
      readObstacles(ledger, settings),
      readWithheldFiles(ledger),
    ]);
  const runs = schedules.map(({ name, nextAt: at, timeZone }) => ({ what: `Schedule ${name} runs`, at, timeZone }));
  return {
    open: await readShown(ledger, settings, open),
    needs,
    isUsed,
    unreached,
    obstacles,
    withheld,
    unready,
    today,
    month: days,
    coming: [...runs, ...comingWindows(settings, now), ...comingFiles(settings, now)].sort(byMoment),
    expiring,
    zone: sharedZone(settings),
    zoneOf: (account: string) => zoneOf(settings, account),
    currencyOf: (account: string) => settings.accounts.get(account)?.currency,
  };
}

/** Reads one account after another: each read takes a connection, and the workers need some too. */
async function readToday(ledger: Ledger, { accounts }: Pick<Settings, 'accounts'>): Promise<DayReport[]> {
  const reports: DayReport[] = [];
  for (const account of accounts.values()) {
    reports.push(await readDayReport(ledger, account, dayInZone(ledger.clock.now(), account.timeZone)));
  }
  return reports;
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
