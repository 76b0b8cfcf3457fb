import type { ScheduleConfig } from '../../schemas/config.ts';
import type { App } from '../../src/app.ts';
import { writeOutput } from '../../src/files/outputs/write-output.ts';
import { dateBefore } from '../../src/calendar/business-dates.ts';
import type { Period } from '../../src/calendar/calendar.ts';
import { PipelineError } from '../../src/kernel/errors.ts';
import { formatCents } from '../../src/kernel/money.ts';
import { findApprovedTwice } from '../../src/ledger/duplicates/ask-again.ts';
import { readDoneBefore } from '../../src/ledger/schedule/read-runs.ts';
import type { RunRow } from '../../src/ledger/engine/records.ts';
import { balanceDay, isBalanced } from '../../src/reconcile/balance-day.ts';
import { dayReportJson, dayReportText } from '../../src/reconcile/outputs/day-report.ts';
import { readDayReport } from './read-day-report.ts';
import { checkExpected } from './check-expected.ts';

export type DayClose = Extract<ScheduleConfig, { does: 'day-close' }>;

/** Summary of a close: names of the reports, what is open, and the difference, which must be zero. */
type Closed = {
  reports: string[];
  open: { rows: number; total: string };
  difference: { rows: number; total: string };
};

/**
 * Writes the report of an account's day from the last close to this one, for users and for programs. Closes leave no
 * gap: what follows one belongs to the next, even over a weekend or a missed close.
 */
export async function closeDay(app: App, schedule: DayClose, run: RunRow): Promise<Closed> {
  const account = app.account(schedule.account);
  const period = await periodOf(app, schedule, run);
  const twice = await findApprovedTwice(app.ledger, account.name, period.from, period.until);
  if (twice > 0)
    app.log.error({ account: account.name, day: run.business_date, rows: twice }, 'payments were made twice');
  // The sweep may not have checked yet.
  await checkExpected(app);
  const { folders } = app.settings;
  const report = await readDayReport(app.ledger, account, run.business_date, { period, folders });
  const difference = balanceDay(report);
  if (!isBalanced(report)) {
    const about = { account: account.name, day: run.business_date, rows: difference.rows, cents: difference.cents };
    app.log.error(about, 'the day does not balance: rows or money were lost or added');
  }
  const name = `day-close__${account.name}__${run.business_date}`;
  await writeReport(app, `${name}.txt`, dayReportText([report]), run);
  await writeReport(app, `${name}.json`, `${JSON.stringify(dayReportJson([report])[0], null, 2)}\n`, run);
  return {
    reports: [`${name}.txt`, `${name}.json`],
    open: { rows: report.open.rows, total: formatCents(report.open.cents) },
    difference: { rows: difference.rows, total: formatCents(difference.cents) },
  };
}

async function periodOf(app: App, schedule: DayClose, run: RunRow): Promise<Period> {
  const last = await readDoneBefore(app.ledger, run.schedule, run.business_date);
  // The first close begins where an earlier one would have ended.
  const from = last?.due_at ?? dateBefore(schedule, run.business_date)?.at ?? run.due_at;
  return { from, until: run.due_at };
}

/**
 * Writes a report, or keeps that of an earlier try: it was whole when it got its name, and open items may have changed.
 * At the first try, an existing file is an error.
 */
async function writeReport(app: App, name: string, text: string, run: RunRow): Promise<void> {
  const write = async (out: NodeJS.WritableStream) => void out.write(text);
  await writeOutput({ dir: app.settings.paths.out, name, write }).catch((error: unknown) => {
    const isThere = error instanceof PipelineError && error.code === 'OUTPUT_EXISTS';
    if (!isThere || run.tries === 1) throw error;
    app.log.info({ name }, 'the report of an earlier attempt stays as it is');
  });
}
