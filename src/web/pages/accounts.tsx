import type { FastifyInstance } from 'fastify';
import { ALL_ACCOUNTS } from '../../ledger/account/pause-account.ts';
import { readAccountStates, readStops } from '../../ledger/account/read-holds.ts';
import { describeStop } from '../../explain/describe-holds.ts';
import { type WebContext, viewerOf } from '../web-context.ts';
import { Notice, Section, Table } from '../parts/blocks.tsx';
import { ActionLinks, Page } from '../parts/page.tsx';
import { Count } from '../parts/words.tsx';
import { sendPage } from '../send-page.ts';
import { sharedZone, zoneOf } from '../zone-of.ts';
import { AccountStateWord } from './accounts/account-state-word.tsx';
import { WhyItWaits } from './accounts/why-it-waits.tsx';

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
