import type { FastifyInstance } from 'fastify';
import { readDayReport } from '../../../workers/schedule/read-day-report.ts';
import type { ActionName } from '../../../schemas/actions.ts';
import { dayInZone } from '../../calendar/zone-time.ts';
import { readOpenFiles } from '../../ledger/overview/overview.ts';
import {
  type AccountState,
  type ForgottenSend,
  readAccountStates,
  readForgottenSends,
} from '../../ledger/account/read-holds.ts';
import { listAddressQuestions } from '../../ledger/merchant/answer-address.ts';
import { readMerchants, sayMerchant } from '../../ledger/merchant/read-merchants.ts';
import { type LeftOver, readLeft } from '../../explain/left-over.ts';
import { StepLine } from '../parts/steps.tsx';
import type { Viewer } from '../access/viewer.ts';
import { readShown } from '../../explain/read-blocks.ts';
import { fieldOf } from '../access/read-form.ts';
import { Refusal } from '../access/refusal.ts';
import { type WebContext, viewerOf } from '../web-context.ts';
import { Facts, Section, Table } from '../parts/blocks.tsx';
import { ActionLinks, Page } from '../parts/page.tsx';
import { Count, HostCommand, Moment, Money, State, StateBadge } from '../parts/words.tsx';
import { sendPage } from '../send-page.ts';
import { zoneOf } from '../zone-of.ts';
import { AccountStateWord, WhyItWaits } from './accounts.tsx';
import { AccountDay } from './front.tsx';
import type { Account, Folder } from '../../config/config.ts';
import { counted } from '../../kernel/counted.ts';
import { type Limits, limitsOf } from '../../config/account-rules.ts';
import type { WindowConfig } from '../../../schemas/config.ts';
import { WEEKDAYS } from '../../../schemas/config-parts.ts';

/** Serves `/accounts/:name`: what holds one account, its open files, its day, and its rules. */
export function accountPage(server: FastifyInstance, { app }: WebContext): void {
  const { ledger, settings, clock } = app;
  server.get('/accounts/:name', async (request, reply) => {
    const viewer = viewerOf(request);
    const name = fieldOf(request.params, 'name');
    const states = await readAccountStates(ledger, [...settings.accounts.keys()]);
    const state = states.find(({ account }) => account === name);
    if (!state) throw new Refusal('NOT_FOUND');
    const account = settings.accounts.get(name);
    const timeZone = zoneOf(settings, name);
    const today = dayInZone(clock.now(), timeZone);
    const [left, report, open, forgotten, merchants, questions] = await Promise.all([
      readLeft(ledger, settings, name),
      readDayReport(ledger, { name, timeZone }, today),
      readOpenFiles(ledger, name).then((files) => readShown(ledger, settings, files)),
      readForgottenSends(ledger, name),
      readMerchants(ledger),
      listAddressQuestions(ledger),
    ]);
    const merchant = merchants.get(name);
    const isAsked = questions.some((question) => question.account === name);
    return sendPage(
      reply,
      <Page title={`Account ${name}`} viewer={viewer} path={`/accounts/${name}`} crumbs={CRUMBS} isLive>
        <Section title="State" live="state">
          <Facts
            facts={[
              ['Now', <AccountStateWord key="now" state={state} settings={settings} now={clock.now()} />],
              ['Merchant', sayMerchant(merchant)],
              ...(merchant?.formerName ? ([['Called before', merchant.formerName]] as const) : []),
              ['Batches waiting', <Count key="ready" of={state.ready} />],
              ['Batches in progress', <Count key="moving" of={state.onTheirWay} />],
            ]}
          />
          <WhyItWaits holds={state} timeZone={timeZone} viewer={viewer} />
          <ActionLinks viewer={viewer} actions={actionsOf(state, isAsked)} base={`/accounts/${name}`} />
        </Section>
        <Section title="Today" live="today">
          <AccountDay report={report} currency={account?.currency} />
        </Section>
        <Section title="Open files" live="open" actions={<a href={`/files?account=${name}`}>All its files</a>}>
          <Table
            label="Unfinished files"
            rows={open}
            empty="This account has no open files. A dropped file is listed here until every row has an outcome."
            columns={[
              { title: 'File', place: 'name', cell: (file) => <a href={`/files/${file.file_id}`}>{file.name}</a> },
              { title: 'State', place: 'of-state', cell: (file) => <StateBadge of={file} /> },
              { title: 'Batches done', cell: ({ done, batches }) => (batches === 0 ? '' : `${done} of ${batches}`) },
              { title: 'Since', cell: (file) => <Moment at={file.state_at} timeZone={timeZone} /> },
              { title: 'Why', cell: ({ reason }) => reason ?? '' },
            ]}
          />
        </Section>
        {left.length > 0 && <Left left={left} timeZone={timeZone} viewer={viewer} />}
        {forgotten.length > 0 && <Forgotten sends={forgotten} name={name} timeZone={timeZone} />}
        {account && <Rules account={account} folders={settings.folders.filter((folder) => folder.account === name)} />}
      </Page>,
    );
  });
}

const CRUMBS = [{ path: '/accounts', label: 'Accounts' }] as const;

function actionsOf({ account, stops }: AccountState, isAsked: boolean): ActionName[] {
  const own = stops.filter((stop) => stop.account === account);
  return [
    ...(own.some(({ kind }) => kind === 'pause') ? [] : (['pause'] as const)),
    ...(own.length > 0 ? (['resume'] as const) : []),
    ...(isAsked ? (['answer-address'] as const) : []),
  ];
}

/** Lists what no process works on any more, because its account means another merchant now or left. */
function Left({ left, timeZone, viewer }: { left: readonly LeftOver[]; timeZone: string; viewer: Viewer }) {
  return (
    <Section title="Left over of former accounts" live="left">
      <p>Nothing of this is sent. It was taken when the account meant another merchant, country or currency.</p>
      <Table
        label="Left over"
        rows={left}
        empty=""
        columns={[
          {
            title: 'What',
            place: 'name',
            cell: ({ fileId, name }) => (fileId === null ? name : <a href={`/files/${fileId}`}>{name}</a>),
          },
          { title: 'Account', cell: ({ account }) => account },
          { title: 'Rows', cell: ({ rows }) => rows !== null && <Count of={rows} />, isFigure: true },
          { title: 'Total', cell: ({ cents }) => cents !== null && <Money cents={cents} />, isFigure: true },
          { title: 'Since', cell: ({ since }) => <Moment at={since} timeZone={timeZone} /> },
          { title: 'What to do', cell: ({ says, next }) => <StepLine step={[`${says} `, ...next]} viewer={viewer} /> },
        ]}
      />
    </Section>
  );
}

/** Lists calls that only the send journal knows, as after restoring an older backup. */
function Forgotten({ sends, name, timeZone }: { sends: readonly ForgottenSend[]; name: string; timeZone: string }) {
  return (
    <Section title="Calls missing from the ledger" live="forgotten">
      <p>
        These calls were made, but the restored ledger does not have them. Check the service's own report for that day:
        every payment in it was charged. Batches with the same bytes are never sent again. After the check, record it on
        the host.
      </p>
      <HostCommand command={`paydrop account acknowledge ${name} --reason …`} />
      <Table
        label="Missing calls"
        rows={sends}
        empty=""
        columns={[
          { title: 'Sent', place: 'name', cell: ({ at }) => <Moment at={at} timeZone={timeZone} /> },
          { title: 'Batch', cell: ({ fileId, batchNo }) => <span class="id">{`${fileId}/${batchNo}`}</span> },
          { title: 'Attempt', cell: ({ attempt }) => attempt, isFigure: true },
          {
            title: 'In the ledger',
            cell: ({ batchState }) => (batchState === null ? 'not known' : <State state={batchState} />),
          },
          { title: 'Acknowledged by', cell: ({ acknowledgedBy }) => acknowledgedBy ?? 'no person yet' },
          { title: 'SHA-256', cell: ({ sha256 }) => <span class="id">{sha256.slice(0, 16)}…</span> },
        ]}
      />
    </Section>
  );
}

/** Shows the configuration of an account and its folders. */
export function Rules({ account, folders }: { account: Account; folders: readonly Folder[] }) {
  const { currency } = account;
  const limits = limitsOf(account);
  return (
    <>
      <Section title="Rules">
        <Facts
          facts={[
            ['Service', `${account.server} server, ${account.country}, ${currency}`],
            ['Sends', describeWindow(account.window, account.timeZone)],
            ['Largest row', moneyOf(limits.rowCents, currency)],
            ['Most rows of a file', limits.fileRows === undefined ? 'no limit' : <Count of={limits.fileRows} />],
            ['Largest file', moneyOf(limits.fileCents, currency)],
            ['Most on one day', moneyOf(limits.dayCents, currency)],
            ['Two persons needed for', takesTwo(account)],
            ['Originals are kept', account.retention.days === 0 ? 'forever' : counted(account.retention.days, 'day')],
          ]}
        />
      </Section>
      <Section title="Folders">
        <Table
          label="Folders of the account"
          rows={folders}
          empty="No folder of the configuration belongs to this account, so no file can be dropped for it."
          columns={[
            { title: 'Folder', place: 'name', cell: ({ id }) => id },
            { title: 'Takes', cell: ({ operation }) => operation },
            { title: 'When', cell: ({ schedule }) => (schedule ? `by schedule ${schedule}` : 'as soon as complete') },
            { title: 'Expected', cell: ({ expect }) => (expect ? `by ${expect.by}, ${expect.days.join(' ')}` : '') },
            { title: 'Tighter limits', cell: (folder) => <OwnLimits limits={ownLimits(folder)} currency={currency} /> },
          ]}
        />
      </Section>
    </>
  );
}

function moneyOf(cents: number | undefined, currency: string) {
  return cents === undefined ? 'no limit' : <Money cents={cents} currency={currency} />;
}

function takesTwo({ secondPerson: { refunds, overrides, resolutions } }: Account): string {
  const rules = [
    refunds ? 'every refund file' : '',
    overrides ? 'approving a held file' : '',
    resolutions ? 'declaring the outcome of a batch in doubt' : '',
  ].filter((rule) => rule !== '');
  return rules.length === 0 ? 'nothing' : rules.join(', ');
}

function ownLimits(folder: Folder): Limits {
  return limitsOf({ limits: {} }, folder);
}

function OwnLimits({ limits: { rowCents, fileRows, fileCents }, currency }: { limits: Limits; currency: string }) {
  return (
    <>
      {rowCents !== undefined && (
        <div>
          row <Money cents={rowCents} currency={currency} />
        </div>
      )}
      {fileRows !== undefined && (
        <div>
          <Count of={fileRows} noun="row" />
        </div>
      )}
      {fileCents !== undefined && (
        <div>
          file <Money cents={fileCents} currency={currency} />
        </div>
      )}
    </>
  );
}

/** Describes when an account may send: `09:00 to 17:00, mon tue wed thu fri, in America/Toronto, not on 2026-12-25`. */
export function describeWindow(window: WindowConfig | undefined, timeZone: string): string {
  if (!window) return 'at any time';
  const { from, to, days, holidays } = window;
  const hours = from === to ? 'the whole day' : `${from} to ${to}`;
  const onDays = days.length === WEEKDAYS.length ? 'every day' : days.join(' ');
  const notOn = holidays.length === 0 ? '' : `, not on ${holidays.join(', ')}`;
  return `${hours}, ${onDays}, in ${timeZone}${notOn}`;
}
