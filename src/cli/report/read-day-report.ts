import type { Account } from '../../kernel/config.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { formatInZone, startOfDay } from '../../kernel/zone-time.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { readDay } from '../../ledger/queries/read-day.ts';
import type { DayReport } from '../../reconcile/outputs/day-report.ts';

/**
 * The report of an account's business day: a calendar day in its zone, 23 to 25 hours long.
 * @param day `2026-11-20`
 * @throws PipelineError USAGE for what is no day there
 */
export async function readDayReport(
  ledger: Ledger,
  { name: account, timeZone }: Pick<Account, 'name' | 'timeZone'>,
  day: string,
): Promise<DayReport> {
  const { from, until } = boundsOf(day, timeZone);
  const { openBatches, ...figures } = await readDay(ledger, account, from, until);
  return {
    day,
    account,
    timeZone,
    isOver: until <= ledger.clock.now(),
    ...figures,
    openBatches: openBatches.map((batch) => ({ ...batch, acceptedAt: formatInZone(batch.acceptedAt, timeZone) })),
  };
}

const DAY_MS = 86_400_000;

function boundsOf(day: string, timeZone: string): { from: Date; until: Date } {
  const from = startOfDay(day, timeZone);
  // Some zones have left out a day of the calendar; the day then ends where the one after begins.
  const until = from && (startOfDay(dayAfter(day, 1), timeZone) ?? startOfDay(dayAfter(day, 2), timeZone));
  if (from && until) return { from, until };
  throw new PipelineError('USAGE', `report the day "${day.slice(0, 20)}"`, `it is no day in ${timeZone}`, {
    next: 'Write it as 2026-11-20.',
  });
}

function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}
