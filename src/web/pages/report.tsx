import type { FastifyInstance } from 'fastify';
import { readDayReport } from '../../../workers/schedule/read-day-report.ts';
import { addDays } from '../../calendar/calendar.ts';
import type { Account, Settings } from '../../config/config.ts';
import { dayBounds } from '../../calendar/day-bounds.ts';
import { dayInZone } from '../../calendar/zone-time.ts';
import { fieldOf } from '../access/read-form.ts';
import { Refusal } from '../access/refusal.ts';
import { type WebContext, viewerOf } from '../web-context.ts';
import { Notice } from '../parts/blocks.tsx';
import { ChoiceField, TextField } from '../parts/form.tsx';
import { Page } from '../parts/page.tsx';
import { sendPage } from '../send-page.ts';
import { DayTables } from './report/day-tables.tsx';

/** Serves `/report?account=&day=`: the day of an account, which balances to the cent, for printing and filing. */
export function reportPage(server: FastifyInstance, { app }: WebContext): void {
  const { ledger, settings, clock } = app;
  server.get('/report', async (request, reply) => {
    const viewer = viewerOf(request);
    const account = accountOf(settings, fieldOf(request.query, 'account'));
    if (!account) {
      return sendPage(
        reply,
        <Page title="Day report" viewer={viewer} path="/report">
          <p class="empty">There are no accounts yet. They are written into paydrop.yaml, under accounts.</p>
        </Page>,
      );
    }
    const { name, timeZone, currency } = account;
    const today = dayInZone(clock.now(), timeZone);
    const asked = fieldOf(request.query, 'day');
    const isDay = asked === '' || dayBounds(asked, timeZone) !== undefined;
    const day = isDay && asked !== '' ? asked : today;
    const report = isDay ? await readDayReport(ledger, account, day) : undefined;
    return sendPage(
      isDay ? reply : reply.code(400),
      <Page title={report ? `Day report, ${name}, ${day}` : 'Day report'} viewer={viewer} path="/report">
        <form class="inline card no-print" action="/report">
          <ChoiceField
            name="account"
            label="Account"
            value={name}
            choices={[...settings.accounts.keys()].map((value) => ({ value, label: value }))}
          />
          <TextField name="day" type="date" label={`Day in ${timeZone}`} value={day} />
          <button type="submit">Show it</button>
        </form>
        {report ? (
          <>
            <DayTables report={report} currency={currency} />
            <Days account={account} day={day} today={today} />
          </>
        ) : (
          <Notice kind="bad" title={`That is no day in ${timeZone}`}>
            <p>Write it as 2026-11-20.</p>
          </Notice>
        )}
      </Page>,
    );
  });
}

/** Returns the named account, or the first when none is named. */
function accountOf({ accounts }: Pick<Settings, 'accounts'>, name: string): Account | undefined {
  if (name === '') return [...accounts.values()][0];
  const account = accounts.get(name);
  if (!account) throw new Refusal('NOT_FOUND');
  return account;
}

function Days({ account: { name, timeZone }, day, today }: { account: Account; day: string; today: string }) {
  const to = (other: string) => `/report?account=${name}&day=${other}`;
  const [before, after] = [step(day, -1, timeZone), step(day, 1, timeZone)];
  return (
    <nav class="pager" aria-label="Days">
      <a href={to(before)}>← {before}</a>
      {after <= today ? <a href={to(after)}>{after} →</a> : <span>This is today</span>}
    </nav>
  );
}

/** Steps a day; skips a calendar day that the zone left out. */
function step(day: string, by: 1 | -1, timeZone: string): string {
  const next = addDays(day, by);
  return dayBounds(next, timeZone) ? next : addDays(next, by);
}
