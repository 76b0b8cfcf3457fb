import type { DayReport } from '../../../src/reconcile/outputs/day-report.ts';
import type { Front } from '../../../src/web/pages/front/read-front.ts';

/** A day on which nothing arrived and nothing is open. */
export const QUIET_DAY: DayReport = {
  day: '2026-06-15',
  account: 'main',
  timeZone: 'America/Toronto',
  isOver: false,
  broughtForward: { rows: 0, cents: 0 },
  accepted: { files: 0, rows: 0, cents: 0 },
  final: {},
  open: { rows: 0, cents: 0 },
  openBatches: [],
  changes: [],
};

/** Returns a front page where nothing needs a user, with these changes. Account `uk` uses pounds, others dollars. */
export function quietFront(change: Partial<Front> = {}): Front {
  return {
    open: [],
    seen: { shown: [], total: 0 },
    needs: [],
    isUsed: true,
    unreached: [],
    obstacles: [],
    withheld: [],
    unready: [],
    today: [],
    month: [],
    account: undefined,
    ages: [],
    coming: [],
    expiring: [],
    zone: 'America/Toronto',
    zoneOf: () => 'America/Toronto',
    currencyOf: (account) => (account === 'uk' ? 'GBP' : 'USD'),
    ...change,
  };
}
