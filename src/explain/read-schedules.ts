import { nextDate } from '../calendar/business-dates.ts';
import type { Settings } from '../config/config.ts';
import type { Ledger } from '../ledger/engine/open-ledger.ts';
import { dayInZone } from '../calendar/zone-time.ts';
import { readLastRun } from '../ledger/schedule/read-runs.ts';
import type { RunSummary } from '../ledger/engine/records.ts';

/** A configured schedule: its next run and the outcome of its last. */
export type ScheduleLine = {
  name: string;
  does: string;
  timeZone: string;
  /** Null when no business day follows for years. */
  nextAt: Date | null;
  last: { day: string; state: string; summary: RunSummary } | null;
};

export async function readSchedules(
  ledger: Ledger,
  { schedules }: Pick<Settings, 'schedules'>,
): Promise<ScheduleLine[]> {
  const lines: ScheduleLine[] = [];
  for (const [name, times] of Object.entries(schedules)) {
    const last = await readLastRun(ledger, name, dayInZone(ledger.clock.now(), times.timeZone));
    // Today's run may have been made before its time.
    const next = nextDate(times, ledger.clock.now());
    const isMade = last !== undefined && next?.day === last.business_date;
    const nextAt = isMade && next ? nextDate(times, next.at)?.at : next?.at;
    lines.push({
      name,
      does: times.does,
      timeZone: times.timeZone,
      nextAt: nextAt ?? null,
      last: last ? { day: last.business_date, state: last.state, summary: last.summary } : null,
    });
  }
  return lines;
}
