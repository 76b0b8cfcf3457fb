import type { App } from '../../../src/app.ts';
import { addDays } from '../../../src/calendar/calendar.ts';
import { dayInZone, momentOfWallTime, sharedZone } from '../../../src/calendar/zone-time.ts';
import { counted } from '../../../src/kernel/counted.ts';
import { groupBy } from '../../../src/kernel/group-by.ts';
import { formatCents } from '../../../src/kernel/money.ts';
import type { AlarmCause } from '../../../src/ledger/alarm/find-alarm-causes.ts';
import { readRaised } from '../../../src/ledger/alarm/raise-alarms.ts';
import { digestOf, type Recipient, targetKey } from '../../../src/notify/tell.ts';
import { isBalanced } from '../../../src/reconcile/balance-day.ts';
import { ALARM_KINDS } from '../../../schemas/alarms.ts';
import { SHOWN_OUTCOMES } from '../../../schemas/shown.ts';
import type { Outcome } from '../../../schemas/lifecycle.ts';
import type { Totals } from '../../../src/rows/rows.ts';
import { readDayReport } from '../../schedule/read-day-report.ts';

/**
 * Returns the daily mails whose time has come today and that are not written yet. After a pause, one is late rather than
 * left out, but only on its own day.
 * @param causes what needs attention now
 */
export async function findDigests(
  app: App,
  recipients: readonly Recipient[],
  causes: readonly AlarmCause[],
): Promise<(AlarmCause & { to: string })[]> {
  const now = app.clock.now();
  const zone = sharedZone(app.settings);
  const today = dayInZone(now, zone);
  const due = recipients.flatMap((target) => {
    const time = digestOf(target);
    const at = time === undefined ? undefined : momentOfWallTime(today, time, zone);
    const key = targetKey(target);
    return at && at <= now ? [{ key, subject: `${today} ${key}`, accounts: target.accounts ?? [] }] : [];
  });
  if (due.length === 0) return [];
  const written = await readRaised(
    app.ledger,
    'digest',
    due.map(({ subject }) => subject),
  );
  const digests = [];
  for (const { key: to, subject, accounts } of due.filter((one) => !written.has(one.subject)))
    digests.push({
      kind: 'digest' as const,
      subject,
      account: null,
      figures: { says: await writeDigest(app, causes, accounts) },
      to,
    });
  return digests;
}

/** Says what needs attention, and how the day before ended for each account. @param only these accounts; empty for all */
async function writeDigest({ ledger, settings, clock }: App, causes: readonly AlarmCause[], only: readonly string[]) {
  const isOwn = (account: string | null) => only.length === 0 || account === null || only.includes(account);
  const own = causes.filter(({ kind, account }) => ALARM_KINDS[kind].lasts && isOwn(account));
  const days: string[] = [];
  for (const account of [...settings.accounts.values()].filter(({ name }) => isOwn(name))) {
    const yesterday = addDays(dayInZone(clock.now(), account.timeZone), -1);
    days.push(sayDay(await readDayReport(ledger, account, yesterday), account.currency));
  }
  const lines = [...groupBy(own, ({ kind, account }) => `${kind} ${account}`).values()].map((alike) =>
    sayAlike(alike, settings),
  );
  return [lines.length === 0 ? 'Nothing needs attention.' : 'Needs attention:', ...lines, ...days].join('\n');
}

function sayAlike(alike: readonly AlarmCause[], { accounts }: App['settings']): string {
  const [{ kind, account }] = alike as [AlarmCause];
  const totals = {
    rows: alike.reduce((sum, { figures }) => sum + (figures.rows ?? 0), 0),
    cents: alike.reduce((sum, { figures }) => sum + (figures.cents ?? 0), 0),
  };
  const currency = accounts.get(account ?? '')?.currency ?? '';
  const money = totals.rows > 0 ? ` (${sayTotals(totals, currency)})` : '';
  return `- ${ALARM_KINDS[kind].means}${account === null ? '' : `, ${account}`}: ${alike.length}${money}`;
}

function sayDay(report: Awaited<ReturnType<typeof readDayReport>>, currency: string): string {
  const { account, day, accepted, final, open } = report;
  const outcomes = Object.entries(final).map(
    ([outcome, totals]) => `${SHOWN_OUTCOMES[outcome as Outcome].word.toLowerCase()} ${sayTotals(totals, currency)}`,
  );
  const parts = [
    `received ${counted(accepted.files, 'file')} with ${sayTotals(accepted, currency)}`,
    ...outcomes,
    `open at the end ${sayTotals(open, currency)}`,
  ];
  return `${account} on ${day}: ${parts.join('; ')}. ${isBalanced(report) ? 'The day balances.' : 'The day does NOT balance.'}`;
}

function sayTotals({ rows, cents }: Totals, currency: string): string {
  return `${counted(rows, 'payment')}, ${formatCents(cents)} ${currency}`.trim();
}
