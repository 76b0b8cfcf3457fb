import type { FastifyInstance } from 'fastify';
import { ALL_ACCOUNTS } from '../../ledger/account/pause-account.ts';
import {
  readAccountStates,
  type AccountState,
  type HoldingBatch,
  type Holds,
  type Stop,
  readStops,
} from '../../ledger/account/read-holds.ts';
import { describeStop, describeHoldingBatch } from '../../explain/describe-holds.ts';
import { type WebContext, viewerOf } from '../web-context.ts';
import { Notice, Section, Table } from '../parts/blocks.tsx';
import { ActionLinks, Page } from '../parts/page.tsx';
import { Count, Moment } from '../parts/words.tsx';
import { sendPage } from '../send-page.ts';
import { sharedZone, zoneOf } from '../zone-of.ts';
import type { Settings } from '../../config/config.ts';
import { nextSendAt } from '../../calendar/send-window.ts';
import { accountWord } from '../../explain/account-word.ts';
import type { ComponentChildren } from 'preact';

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
              <p>{describeStop(all, sharedZone(settings)).says}</p>
            </Notice>
          )}
        </div>
        <Section title="Every account" live="accounts">
          <Table
            label="Accounts"
            rows={states}
            empty="There are no accounts. They are written into paydrop.yaml, under accounts."
            columns={[
              { title: 'Account', cell: ({ account }) => <a href={`/accounts/${account}`}>{account}</a> },
              {
                title: 'State',
                cell: (state) => <AccountStateWord state={state} settings={settings} now={clock.now()} />,
              },
              { title: 'Batches waiting', cell: ({ ready }) => <Count of={ready} />, isFigure: true },
              { title: 'On their way', cell: ({ onTheirWay }) => <Count of={onTheirWay} />, isFigure: true },
              {
                title: 'Why it waits',
                cell: (state) => <WhyItWaits holds={state} timeZone={zoneOf(settings, state.account)} />,
              },
            ]}
          />
        </Section>
        <Section title="All accounts at once" live="all">
          <p>
            {all
              ? 'Every account is stopped, also those that are added later.'
              : 'When amounts look wrong, stop everything first and look afterwards. What was sent before is still followed to its end.'}
          </p>
          <ActionLinks viewer={viewer} actions={[all ? 'resume' : 'pause']} base="/accounts/all" />
        </Section>
      </Page>,
    );
  });
  // The base address of the actions on all accounts.
  server.get('/accounts/all', async (_request, reply) => reply.redirect('/accounts'));
}

const LOOKS = { sends: 'good', paused: 'warn', stopped: 'bad', 'in doubt': 'bad', refused: 'bad' } as const;

/** Shows in a word whether an account sends. When only its window is closed, shows until when. */
export function AccountStateWord({
  state,
  settings,
  now,
}: {
  state: AccountState;
  settings: Pick<Settings, 'accounts'>;
  now: Date;
}) {
  const word = accountWord(state);
  const account = settings.accounts.get(state.account);
  if (!account) return <span class="state quiet">not in the configuration</span>;
  const at = nextSendAt(account, now);
  if (word !== 'sends' || at === now) return <span class={`state ${LOOKS[word]}`}>{word}</span>;
  return (
    <>
      <span class="state quiet">window closed</span>{' '}
      {at ? (
        <>
          until <Moment at={at} timeZone={account.timeZone} />
        </>
      ) : (
        'for good'
      )}
    </>
  );
}

/** Shows why an account does not send, with a link for each hold; nothing when it may send. */
export function WhyItWaits({ holds: { stops, batches }, timeZone }: { holds: Holds; timeZone: string }) {
  if (stops.length + batches.length === 0) return null;
  return (
    <ul class="reasons">
      {stops.map((stop) => (
        <li key={stop.account + stop.kind}>
          {describeStop(stop, timeZone).says} <span class="soft">{nextOfStop(stop)}</span>
        </li>
      ))}
      {batches.map((batch) => (
        <li key={`${batch.fileId}/${batch.batchNo}`}>
          {describeHoldingBatch(batch, timeZone).says} <span class="soft">{nextOfBatch(batch)}</span>
        </li>
      ))}
    </ul>
  );
}

function nextOfStop({ account, kind }: Stop): ComponentChildren {
  if (account === ALL_ACCOUNTS) return <a href="/accounts">See the stop of all accounts.</a>;
  if (kind !== 'journal') return 'When the cause is fixed, an approver resumes the account.';
  return (
    <>
      Compare <a href={`/accounts/${account}#s-calls-that-the-ledger-has-forgotten`}>the forgotten calls</a> with the
      service's own report first.
    </>
  );
}

function nextOfBatch({ fileId, batchNo, state }: HoldingBatch): ComponentChildren {
  if (state === 'preparing' || state === 'sending') return 'Nothing is to be done.';
  return <a href={`/files/${fileId}/batches/${batchNo}`}>See the batch and what can be done.</a>;
}
