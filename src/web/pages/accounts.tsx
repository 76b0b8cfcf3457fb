import type { FastifyInstance } from 'fastify';
import { ALL_ACCOUNTS } from '../../ledger/account/pause-account.ts';
import { readAccountStates, type AccountState, readStops } from '../../ledger/account/read-holds.ts';
import { SHOWN_ACCOUNTS } from '../../../schemas/shown.ts';
import {
  describeHoldingBatch,
  describeStop,
  type HoldsOf,
  type HoldWords,
  showAccount,
} from '../../explain/describe-holds.ts';
import type { Viewer } from '../access/viewer.ts';
import { type WebContext, viewerOf } from '../web-context.ts';
import { Notice, Section, Table } from '../parts/blocks.tsx';
import { ActionLinks, Page } from '../parts/page.tsx';
import { StepLine } from '../parts/steps.tsx';
import { Count, Moment, said } from '../parts/words.tsx';
import { sendPage } from '../send-page.ts';
import { sharedZone } from '../../calendar/zone-time.ts';
import { zoneOf } from '../zone-of.ts';
import type { Settings } from '../../config/config.ts';
import { nextSendAt } from '../../calendar/send-window.ts';

/** Serves `/accounts`: which accounts send, which do not, and why; and the pause of all accounts. */
export function accountsPage(server: FastifyInstance, { app }: WebContext): void {
  const { ledger, settings, clock } = app;
  server.get('/accounts', async (request, reply) => {
    const viewer = viewerOf(request);
    const [states, stops] = await Promise.all([
      readAccountStates(ledger, [...settings.accounts.keys()]),
      readStops(ledger),
    ]);
    const all = stops.find(({ account }) => account === ALL_ACCOUNTS);
    return sendPage(
      reply,
      <Page title="Accounts" viewer={viewer} path="/accounts" isLive>
        <div data-part="all-stopped">
          {all && (
            <Notice kind="bad" title="No account sends">
              <p>{said(describeStop(all, sharedZone(settings)).says)}</p>
            </Notice>
          )}
        </div>
        <Section title="Every account" live="accounts">
          <Table
            label="Accounts"
            rows={states}
            empty="There are no accounts. Add them to paydrop.yaml, under accounts."
            columns={[
              {
                title: 'Account',
                place: 'name',
                cell: ({ account }) => <a href={`/accounts/${account}`}>{account}</a>,
              },
              {
                title: 'State',
                cell: (state) => <AccountStateWord state={state} settings={settings} now={clock.now()} />,
              },
              { title: 'Batches waiting', cell: ({ ready }) => <Count of={ready} />, isFigure: true },
              { title: 'In progress', cell: ({ onTheirWay }) => <Count of={onTheirWay} />, isFigure: true },
              {
                title: 'Why it waits',
                cell: (state) => (
                  <WhyItWaits holds={state} timeZone={zoneOf(settings, state.account)} viewer={viewer} />
                ),
              },
            ]}
          />
        </Section>
        <Section title="All accounts at once" live="all">
          <p>
            {all
              ? 'Every account is stopped, including accounts that are added later.'
              : 'When amounts look wrong, stop everything first and check afterwards. Batches that were already sent are still processed to the end.'}
          </p>
          <ActionLinks viewer={viewer} actions={[all ? 'resume' : 'pause']} base="/accounts/all" />
        </Section>
      </Page>,
    );
  });
  // The base address of the actions on all accounts.
  server.get('/accounts/all', async (_request, reply) => reply.redirect('/accounts'));
}

/** Shows in a word how an account stands. When only its window is closed, shows until when. */
export function AccountStateWord({
  state,
  settings,
  now,
}: {
  state: AccountState;
  settings: Pick<Settings, 'accounts'>;
  now: Date;
}) {
  const shown = showAccount(state, settings, now);
  const { word, tone } = SHOWN_ACCOUNTS[shown];
  const badge = <span class={`state ${tone}`}>{word}</span>;
  if (shown !== 'window_closed') return badge;
  const account = settings.accounts.get(state.account)!;
  const at = nextSendAt(account, now);
  return (
    <>
      {badge}{' '}
      {at ? (
        <>
          until <Moment at={at} timeZone={account.timeZone} isWindow />
        </>
      ) : (
        'with no next opening'
      )}
    </>
  );
}

/** Shows why an account does not send and what helps; nothing when it may send. */
export function WhyItWaits({
  holds: { stops, batches, account },
  timeZone,
  viewer,
}: {
  holds: HoldsOf;
  timeZone: string;
  viewer: Viewer;
}) {
  if (stops.length + batches.length === 0) return null;
  const line = ({ says, next }: HoldWords) => <StepLine step={[`${says} `, ...next]} viewer={viewer} />;
  return (
    <ul class="reasons">
      {stops.map((stop) => (
        <li key={stop.account + stop.kind}>{line(describeStop(stop, timeZone, account))}</li>
      ))}
      {batches.map((batch) => (
        <li key={`${batch.fileId}/${batch.batchNo}`}>
          {line(describeHoldingBatch(batch, timeZone))}{' '}
          <a href={`/files/${batch.fileId}/batches/${batch.batchNo}`}>See the batch</a>
        </li>
      ))}
    </ul>
  );
}
