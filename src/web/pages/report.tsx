import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readDayReport } from '../../../workers/schedule/read-day-report.ts';
import { addDays, dayBounds } from '../../calendar/calendar.ts';
import type { Account, Settings } from '../../config/config.ts';
import { dayInZone } from '../../calendar/zone-time.ts';
import { fieldOf } from '../access/read-form.ts';
import { Refusal } from '../access/refusal.ts';
import { type WebContext, viewerOf } from '../web-context.ts';
import { LARGEST_TOTAL_CENTS, parseAmount } from '../../kernel/money.ts';
import { ExportLinks, type ExportValue, type OpenList } from '../lists/list.tsx';
import { addressOf } from '../parts/address.ts';
import { type Column, Notice, Section, Table } from '../parts/blocks.tsx';
import { ChoiceField, TextField } from '../parts/form.tsx';
import { Page } from '../parts/page.tsx';
import { sendPage } from '../send-page.ts';
import { accountAsked } from '../shell/read-shell.ts';
import type { ComponentChildren } from 'preact';
import { OUTCOMES } from '../../../schemas/lifecycle.ts';
import { counted } from '../../kernel/counted.ts';
import type { Totals } from '../../rows/rows.ts';
import { balanceDay, isBalanced } from '../../reconcile/balance-day.ts';
import { DAY_TITLES, dayReportCells, finalLines, type DayReport } from '../../reconcile/outputs/day-report.ts';
import { sayWithheld } from '../../reconcile/say-withheld.ts';
import { Sum, Count, Money, OutcomeWord, State } from '../parts/words.tsx';

/** Serves `/report?account=&day=`: the day of an account, which balances to the cent, for printing and filing. */
export function reportPage(server: FastifyInstance, { app }: WebContext): void {
  const { ledger, settings, clock } = app;
  server.get('/report', async (request, reply) => {
    const viewer = viewerOf(request);
    const account = accountOf(settings, accountAsked(request));
    if (!account) {
      return sendPage(
        reply,
        <Page title="Day report" viewer={viewer} path="/report">
          <p class="empty">There are no accounts yet. Add them to paydrop.yaml, under accounts.</p>
        </Page>,
      );
    }
    const { name, timeZone, currency } = account;
    const today = dayInZone(clock.now(), timeZone);
    const asked = fieldOf(request.query, 'day');
    const isDay = asked === '' || dayBounds(asked, timeZone) !== undefined;
    const day = isDay && asked !== '' ? asked : today;
    const report = isDay ? await readDayReport(ledger, account, day, settings) : undefined;
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
          <button type="submit">Open</button>
        </form>
        {report ? (
          <>
            <DayTables report={report} currency={currency} />
            <ExportLinks
              what="the day"
              hrefOf={(form) => addressOf(`/export/report.${form}`, { account: name, day })}
            />
            <Days account={account} day={day} today={today} />
          </>
        ) : (
          <Notice kind="bad" title={`That is not a day in ${timeZone}`}>
            <p>Write it as 2026-11-20.</p>
          </Notice>
        )}
      </Page>,
    );
  });
}

/**
 * Opens the figures of a day as lines, which only exports show.
 * @throws Refusal NOT_FOUND when there is no such account or day
 */
export async function openReportList(
  { app: { ledger, settings, clock } }: Pick<WebContext, 'app'>,
  request: FastifyRequest,
): Promise<OpenList<string[]>> {
  const account = accountOf(settings, accountAsked(request));
  if (!account) throw new Refusal('NOT_FOUND');
  const { name, timeZone } = account;
  const day = fieldOf(request.query, 'day') || dayInZone(clock.now(), timeZone);
  if (!dayBounds(day, timeZone)) throw new Refusal('NOT_FOUND');
  const lines = dayReportCells(await readDayReport(ledger, account, day, settings));
  return {
    name: 'report',
    path: '/report',
    filter: { account: name, day },
    orders: { line: false },
    size: lines.length,
    columns: DAY_TITLES.map((title, place) => ({ title, value: (line) => reportValue(title, line[place]!) })),
    numberOf: (line) => lines.indexOf(line),
    read: async (_ledger, { after = -1, limit }) => lines.slice(after + 1, after + 1 + limit),
    count: async () => lines.length,
  };
}

function reportValue(title: (typeof DAY_TITLES)[number], text: string): ExportValue {
  if (title === 'Rows') return Number(text);
  return title === 'Total' ? { cents: Number(parseAmount(text, LARGEST_TOTAL_CENTS)) } : text;
}

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

type Line = Totals & { readonly name: string; readonly item: ComponentChildren };

/** Shows the day of one account: what came and its outcome, which must be equal; then what is open or changed late. */
export function DayTables({ report, currency }: { report: DayReport; currency: string }) {
  return (
    <>
      {!report.isOver && (
        <Notice kind="info" title="This day is not over yet">
          <p>The figures are as of now.</p>
        </Notice>
      )}
      {report.period && (
        <p>
          From {report.period.from} until {report.period.until}
        </p>
      )}
      <Balance report={report} currency={currency} />
      <Section title="Figures">
        <LineTable label="Received" lines={cameLines(report)} sum="Total" currency={currency} />
        <LineTable label="Outcome" lines={becameLines(report)} sum="Total" currency={currency} />
      </Section>
      <Open report={report} currency={currency} />
      {report.changes.length > 0 && <Changes report={report} currency={currency} />}
      {report.withheld !== undefined && report.withheld.rows > 0 && (
        <Notice kind="info" title="Rows that were not paid">
          <p>{sayWithheld(report.withheld)}. They have faults and are not in the figures above.</p>
        </Notice>
      )}
      <Twice report={report} currency={currency} />
      <Missing report={report} />
      <p class="soft">
        {`Account ${report.account}, the day ${report.day} in ${report.timeZone}. Money in ${currency}.`}
      </p>
    </>
  );
}

function Balance({ report, currency }: { report: DayReport; currency: string }) {
  const difference = (
    <>
      Difference: <Sum of={balanceDay(report)} currency={currency} />.
    </>
  );
  if (isBalanced(report)) {
    return (
      <Notice kind="good" title="The day balances">
        <p>{difference}</p>
      </Notice>
    );
  }
  return (
    <Notice kind="bad" title="The day does not balance">
      <p>
        <strong>{difference}</strong>
      </p>
      <p>
        Rows or money were lost or added, or the ledger was changed by hand. Check the <a href="/audit">audit trail</a>,
        and pause the account until the cause is found.
      </p>
    </Notice>
  );
}

function cameLines({ broughtForward, accepted }: DayReport): Line[] {
  const files = counted(accepted.files, 'file');
  return [
    { name: 'forward', item: 'Brought forward, open', ...broughtForward },
    { name: 'accepted', item: `Accepted, ${files}`, rows: accepted.rows, cents: accepted.cents },
  ];
}

function becameLines(report: DayReport): Line[] {
  return [
    ...finalLines(report).map(([outcome, totals]) => ({
      name: outcome,
      item: (
        <>
          <OutcomeWord outcome={outcome} /> {OUTCOMES[outcome].means}
        </>
      ),
      ...totals,
    })),
    { name: 'open', item: 'Still open', ...report.open },
  ];
}

function figures(currency: string): Column<Totals>[] {
  return [
    { title: 'Rows', cell: ({ rows }) => <Count of={rows} />, isFigure: true },
    { title: `Total, ${currency}`, cell: ({ cents }) => <Money cents={cents} />, isFigure: true, place: 'amount' },
  ];
}

function LineTable({
  label,
  lines,
  sum,
  currency,
}: {
  label: string;
  lines: readonly Line[];
  sum: string;
  currency: string;
}) {
  const total: Line = {
    name: 'sum',
    item: <strong>{sum}</strong>,
    rows: lines.reduce((rows, line) => rows + line.rows, 0),
    cents: lines.reduce((cents, line) => cents + line.cents, 0),
  };
  return (
    <>
      <h3>{label}</h3>
      <Table
        label={label}
        rows={[...lines, total]}
        empty=""
        columns={[{ title: 'Item', cell: ({ item }) => item, place: 'name' }, ...figures(currency)]}
      />
    </>
  );
}

function Open({ report: { open, openBatches }, currency }: { report: DayReport; currency: string }) {
  const more = open.rows - openBatches.reduce((sum, { rows }) => sum + rows, 0);
  return (
    <Section title="Open at the end of the day">
      <Table
        label="Open batches"
        rows={openBatches}
        empty="Nothing is open."
        columns={[
          {
            title: 'Batch',
            cell: ({ fileId, batchNo, name }) => (
              <a href={`/files/${fileId}/batches/${batchNo}`}>{`${name}, batch ${batchNo}`}</a>
            ),
            place: 'name',
          },
          ...figures(currency),
          { title: 'Accepted', cell: ({ acceptedAt }) => acceptedAt },
          { title: 'State now', cell: ({ stateNow }) => <State state={stateNow} />, place: 'of-state' },
        ]}
      />
      {more > 0 && (
        <p>
          And <Count of={more} noun="row" /> in later batches.
        </p>
      )}
    </Section>
  );
}

function Twice({ report: { paidTwice = [] }, currency }: { report: DayReport; currency: string }) {
  if (paidTwice.length === 0) return null;
  return (
    <Section title="Perhaps paid twice">
      <p class="hint">Refund one payment of each pair, if both were charged.</p>
      <Table
        label="Pairs"
        rows={paidTwice}
        empty=""
        columns={[
          { title: 'Payment', cell: ({ row }) => row, place: 'name' },
          { title: 'And', cell: ({ other }) => other },
          {
            title: `Total, ${currency}`,
            cell: ({ cents }) => <Money cents={cents} />,
            isFigure: true,
            place: 'amount',
          },
        ]}
      />
    </Section>
  );
}

function Missing({ report: { missingFiles = [] } }: { report: DayReport }) {
  if (missingFiles.length === 0) return null;
  return (
    <Section title="Expected files that had not come">
      <Table
        label="Missing files"
        rows={missingFiles}
        empty=""
        columns={[
          { title: 'Folder', cell: ({ folder }) => folder, place: 'name' },
          { title: 'Day', cell: ({ day }) => day },
          { title: 'By', cell: ({ by }) => by },
        ]}
      />
    </Section>
  );
}

function Changes({ report: { changes }, currency }: { report: DayReport; currency: string }) {
  return (
    <Section title="Changed after they were final">
      <p class="hint">These move money between outcomes, so they are not in the sums above.</p>
      <Table
        label="Late changes"
        rows={changes}
        empty=""
        columns={[
          { title: 'Was', cell: ({ before }) => <OutcomeWord outcome={before} />, place: 'name' },
          { title: 'Is', cell: ({ after }) => <OutcomeWord outcome={after} /> },
          ...figures(currency),
        ]}
      />
    </Section>
  );
}
