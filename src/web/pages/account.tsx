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
import { fieldOf } from '../access/read-form.ts';
import { Refusal } from '../access/refusal.ts';
import { type WebContext, viewerOf } from '../web-context.ts';
import { Facts, Section, Table } from '../parts/blocks.tsx';
import { ActionLinks, Page } from '../parts/page.tsx';
import { Count, Moment, State } from '../parts/words.tsx';
import { sendPage } from '../send-page.ts';
import { zoneOf } from '../zone-of.ts';
import { AccountStateWord } from './accounts/account-state-word.tsx';
import { Rules } from './accounts/rules.tsx';
import { WhyItWaits } from './accounts/why-it-waits.tsx';
import { AccountDay } from './front/today.tsx';

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
    const [report, open, forgotten] = await Promise.all([
      readDayReport(ledger, { name, timeZone }, today),
      readOpenFiles(ledger, name),
      readForgottenSends(ledger, name),
    ]);
    return sendPage(
      reply,
      <Page title={`Account ${name}`} viewer={viewer} path={`/accounts/${name}`} crumbs={CRUMBS} isLive>
        <Section title="State" live="state">
          <Facts
            facts={[
              ['Now', <AccountStateWord key="now" state={state} settings={settings} now={clock.now()} />],
              ['Batches waiting', <Count key="ready" of={state.ready} />],
              ['Batches on their way', <Count key="moving" of={state.onTheirWay} />],
            ]}
          />
          <WhyItWaits holds={state} timeZone={timeZone} />
          <ActionLinks viewer={viewer} actions={actionsOf(state)} base={`/accounts/${name}`} />
        </Section>
        <Section title="Today" live="today">
          <AccountDay report={report} currency={account?.currency} />
        </Section>
        <Section title="Open files" live="open" actions={<a href={`/files?account=${name}`}>All its files</a>}>
          <Table
            label="Files that are not finished"
            rows={open}
            empty="Nothing of this account is open. A file that is dropped stands here until each of its rows has an outcome."
            columns={[
              { title: 'File', cell: (file) => <a href={`/files/${file.file_id}`}>{file.name}</a> },
              { title: 'State', cell: (file) => <State state={file.state} /> },
              { title: 'Batches done', cell: ({ done, batches }) => (batches === 0 ? '' : `${done} of ${batches}`) },
              { title: 'Since', cell: (file) => <Moment at={file.state_at} timeZone={timeZone} /> },
              { title: 'Why', cell: ({ reason }) => reason ?? '' },
            ]}
          />
        </Section>
        {forgotten.length > 0 && <Forgotten sends={forgotten} name={name} timeZone={timeZone} />}
        {account && <Rules account={account} folders={settings.folders.filter((folder) => folder.account === name)} />}
      </Page>,
    );
  });
}

const CRUMBS = [{ path: '/accounts', label: 'Accounts' }] as const;

/** Returns the actions for this account. Its own pause can be lifted here; a pause of all accounts only for all. */
function actionsOf({ account, stops }: AccountState): ActionName[] {
  const own = stops.filter((stop) => stop.account === account);
  return [
    ...(own.some(({ kind }) => kind === 'pause') ? [] : (['pause'] as const)),
    ...(own.length > 0 ? (['resume'] as const) : []),
  ];
}

/** Lists calls that only the send journal knows, as after restoring an older backup. */
function Forgotten({ sends, name, timeZone }: { sends: readonly ForgottenSend[]; name: string; timeZone: string }) {
  return (
    <Section title="Calls that the ledger has forgotten" live="forgotten">
      <p>
        The service was called for each of these, and a restored ledger has forgotten it. Look the day up in the
        service's own report: what stands there was charged. Batches of the same bytes are never sent again. Once they
        are compared, somebody records it on the host: <code>{`paydrop account acknowledge ${name} --reason …`}</code>
      </p>
      <Table
        label="Forgotten calls"
        rows={sends}
        empty=""
        columns={[
          { title: 'Sent', cell: ({ at }) => <Moment at={at} timeZone={timeZone} /> },
          {
            title: 'Batch',
            cell: ({ fileId, batchNo }) => <span class="id">{`${fileId}/${batchNo}`}</span>,
          },
          { title: 'Attempt', cell: ({ attempt }) => attempt, isFigure: true },
          { title: 'In the ledger', cell: ({ batchState }) => batchState ?? 'not known' },
          { title: 'Looked at by', cell: ({ acknowledgedBy }) => acknowledgedBy ?? 'nobody yet' },
          { title: 'SHA-256', cell: ({ sha256 }) => <span class="id">{sha256.slice(0, 16)}…</span> },
        ]}
      />
    </Section>
  );
}
