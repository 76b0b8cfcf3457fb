import type { Account, Folder } from '../../src/config/config.ts';
import { dayBounds, type Period } from '../../src/calendar/calendar.ts';
import { PipelineError } from '../../src/kernel/errors.ts';
import { formatInZone } from '../../src/calendar/zone-time.ts';
import type { Ledger } from '../../src/ledger/engine/open-ledger.ts';
import { type DoubleCharge, type DoubleRow, readPaidTwice } from '../../src/ledger/duplicates/read-double-charges.ts';
import { listMissed } from '../../src/ledger/schedule/read-runs.ts';
import { expectationOf } from './check-expected.ts';
import { readDay } from '../../src/ledger/schedule/read-day.ts';
import type { DayReport } from '../../src/reconcile/outputs/day-report.ts';

/** What a report needs besides its day. Every face of a report gives the folders. */
type ReportOptions = {
  /** Covered instead of the calendar day. */
  period?: Period;
  /** Folders of the configuration, of which files may be missing. */
  folders?: readonly Folder[];
};

/**
 * Returns the report of an account's business day: a calendar day in its zone, 23 to 25 hours long, or the time between
 * two closes.
 * @param day `2026-11-20`
 * @throws PipelineError USAGE for what is no day there
 */
export async function readDayReport(
  ledger: Ledger,
  { name: account, timeZone }: Pick<Account, 'name' | 'timeZone'>,
  day: string,
  { period, folders }: ReportOptions = {},
): Promise<DayReport> {
  const { from, until } = period ?? boundsOf(day, timeZone);
  const { openBatches, ...figures } = await readDay(ledger, account, from, until);
  const paidTwice = (await readPaidTwice(ledger, { account })).map(nameTwice);
  return {
    day,
    account,
    timeZone,
    isOver: until <= ledger.clock.now(),
    ...(period && { period: { from: formatInZone(from, timeZone), until: formatInZone(until, timeZone) } }),
    ...figures,
    ...(paidTwice.length > 0 && { paidTwice }),
    ...(folders && { missingFiles: await findMissingFiles(ledger, account, folders, { from, until }) }),
    openBatches: openBatches.map((batch) => ({ ...batch, acceptedAt: formatInZone(batch.acceptedAt, timeZone) })),
  };
}

async function findMissingFiles(ledger: Ledger, account: string, folders: readonly Folder[], { from, until }: Period) {
  const own = folders.filter((folder) => folder.account === account && folder.expect);
  if (own.length === 0) return [];
  const missed = await listMissed(
    ledger,
    own.map(({ id }) => expectationOf(id)),
    from,
    until,
  );
  return missed.map((run) => {
    const folder = own.find(({ id }) => expectationOf(id) === run.schedule);
    return { folder: folder?.id ?? '', day: run.business_date, by: folder?.expect?.by ?? '' };
  });
}

function nameTwice({ row, other }: DoubleCharge) {
  const placeOf = ({ fileId, batchNo, line }: DoubleRow) => `${fileId}/${batchNo} line ${line}`;
  return { row: placeOf(row), other: placeOf(other), cents: row.cents ?? other.cents ?? 0 };
}

function boundsOf(day: string, timeZone: string): Period {
  const bounds = dayBounds(day, timeZone);
  if (bounds) return bounds;
  throw new PipelineError('USAGE', `report the day "${day.slice(0, 20)}"`, `it is no day in ${timeZone}`, {
    next: 'Write it as 2026-11-20.',
  });
}
