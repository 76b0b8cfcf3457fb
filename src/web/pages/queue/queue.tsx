import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Advice } from '../../../../schemas/rejections.ts';
import type { App } from '../../../app.ts';
import { type QueueState, readQueue } from '../../../explain/read-queue.ts';
import { readSchedules } from '../../../explain/read-schedules.ts';
import { groupDigits } from '../../../kernel/counted.ts';
import { listFinished } from '../../../ledger/overview/list-audit.ts';
import type { AgainPlace } from '../../../ledger/overview/may-go-again.ts';
import { openStageFlow } from '../../../ledger/overview/read-stages.ts';
import { fieldOf } from '../../access/read-form.ts';
import { actorOf, viewerMay } from '../../access/viewer.ts';
import { addressOf } from '../../parts/address.ts';
import { Section, splitPage, StepPager } from '../../parts/blocks.tsx';
import { Page } from '../../parts/page.tsx';
import { Count, Money } from '../../parts/words.tsx';
import { sendPage } from '../../send-page.ts';
import { accountAsked } from '../../shell/read-shell.ts';
import { type WebContext, viewerOf } from '../../web-context.ts';
import { zoneOf } from '../../zone-of.ts';
import { adviceAsked, againCount, showAgain } from './again.tsx';
import {
  BlockedGroups,
  DoubtNotice,
  FailedTable,
  FinishedTable,
  NeedsTable,
  PAGE_ROWS,
  type View,
  WaitingTable,
} from './lists.tsx';
import { readLastRuns, RunTable } from './run.tsx';
import { FailedJobs, lookAtServer, type ServerLook, ServerPanel } from './server.tsx';
import { StageCards } from './stage-cards.tsx';

/** Serves `/queue`: where everything is, what is stopped and why, and what may go again. */
export function queuePage(server: FastifyInstance, { app }: WebContext): void {
  const readFlow = openStageFlow(app.ledger);
  server.get('/queue', async (request, reply) => {
    const viewer = viewerOf(request);
    const asked = askedOf(request);
    const [state, flows, schedules, server, runs] = await Promise.all([
      readQueue(app.ledger, app.settings, { actor: actorOf(viewer), account: asked.account || undefined }),
      readFlow(),
      readSchedules(app.ledger, app.settings),
      lookAtServer(app),
      readLastRuns(app.ledger),
    ]);
    if (isBetterAgain(request, state))
      return reply.redirect(addressOf('/queue', { list: 'again', account: asked.account }), 303);
    const view: View = {
      viewer,
      here: request.url,
      zoneOf: (account) => zoneOf(app.settings, account),
      currencyOf: (account) => app.settings.accounts.get(account)?.currency,
    };
    return sendPage(
      reply,
      <Page title="Queue" viewer={viewer} path="/queue" only={asked.account} isLive>
        <Headline state={state} view={view} />
        <StageCards {...{ view, state, flows, schedules }} now={app.clock.now()} />
        <Tabs asked={asked} state={state} />
        <Section title={LISTS[asked.list]} live={`list-${asked.list}`}>
          {await showList(app, { asked, state, view, server })}
        </Section>
        {runs.length > 0 && (
          <Section title="Runs of the last 30 days" live="runs">
            <RunTable rows={runs} />
          </Section>
        )}
        <ServerPanel app={app} server={server} />
      </Page>,
    );
  });
}

/** Whether the queue begins with what may go again, because nothing else needs the person who opens it. */
function isBetterAgain(request: FastifyRequest, { needs, again }: QueueState): boolean {
  const isAsked = fieldOf(request.query, 'list') !== '' || request.headers['x-live'] !== undefined;
  return !isAsked && needs.length === 0 && again.length > 0 && viewerMay(viewerOf(request), 'reprocess');
}

const LISTS = {
  needs: 'Needs you',
  blocked: 'Blocked',
  again: 'May go again',
  waiting: 'In progress',
  failed: 'Failed',
  doubt: 'In doubt',
  finished: 'Finished',
} as const;
type ListName = keyof typeof LISTS;

/** What the address asks for. Anything odd in it counts as not asked. */
type Asked = {
  list: ListName;
  account: string;
  advice: Advice | 'all';
  after: AgainPlace | undefined;
  before: number | undefined;
};

function askedOf(request: FastifyRequest): Asked {
  const { query } = request;
  const list = fieldOf(query, 'list');
  const [, fileNo, line] = /^(\d{1,15})\.(\d{1,9})$/.exec(fieldOf(query, 'after')) ?? [];
  const before = fieldOf(query, 'before');
  return {
    list: Object.hasOwn(LISTS, list) ? (list as ListName) : 'needs',
    account: accountAsked(request),
    advice: adviceAsked(query),
    after: fileNo === undefined ? undefined : { fileNo: Number(fileNo), line: Number(line) },
    before: /^\d{1,15}$/.test(before) ? Number(before) : undefined,
  };
}

/** Says in one sentence what needs the person who looks, and what waits behind it. */
function Headline({ state: { needs, blocked }, view }: { state: QueueState; view: View }) {
  const rows = blocked.reduce((sum, { depth }) => sum + depth.rows, 0);
  return (
    <p class="headline" data-part="headline">
      {needs.length === 0 ? (
        'Nothing needs you.'
      ) : (
        <>
          <Count of={needs.length} noun="thing" /> {needs.length === 1 ? 'needs' : 'need'} you.
        </>
      )}
      {rows > 0 && (
        <>
          {' '}
          <Count of={rows} noun="payment" /> (
          {blocked.map(({ account, depth }, index) => (
            <span key={account}>
              {index > 0 && ', '}
              <Money cents={depth.cents} currency={view.currencyOf(account)} />
            </span>
          ))}
          ) {rows === 1 ? 'is' : 'are'} blocked.
        </>
      )}
    </p>
  );
}

function Tabs({ asked: { list, account }, state }: { asked: Asked; state: QueueState }) {
  const inDoubt = state.needs.filter(({ kind }) => kind === 'in_doubt').length;
  const [again, unpaid] = [againCount(state.again), againCount(state.unpaid)];
  const counts: Partial<Record<ListName, string>> = {
    needs: digits(state.needs.length),
    blocked: digits(state.blocked.reduce((sum, { depth }) => sum + depth.things, 0)),
    // The list begins with what may go as it is, and has the others behind other advice.
    again: again === unpaid ? again : `${again} of ${unpaid}`,
    waiting: digits(state.waiting.length),
    failed: digits(state.failed.length),
    doubt: digits(inDoubt),
  };
  const shown = (Object.keys(LISTS) as ListName[]).filter((name) => name !== 'doubt' || inDoubt > 0 || list === name);
  return (
    <nav class="tabs" aria-label="Lists" data-part="lists">
      <ul>
        {shown.map((name) => (
          <li key={name}>
            <a href={addressOf('/queue', { list: name, account })} aria-current={name === list ? 'page' : undefined}>
              {LISTS[name]}
              {counts[name] !== undefined && (
                <>
                  {' '}
                  <span class="badge">{counts[name]}</span>
                </>
              )}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function digits(count: number): string {
  return groupDigits(String(count));
}

type Shown = {
  readonly asked: Asked;
  readonly state: QueueState;
  readonly view: View;
  readonly server: ServerLook | undefined;
};

async function showList(app: App, { asked, state, view, server }: Shown) {
  switch (asked.list) {
    case 'needs':
      return <NeedsTable view={view} rows={state.needs} />;
    case 'blocked':
      return <BlockedGroups view={view} rows={state.blocked} />;
    case 'again':
      return showAgain(app, asked, state, view);
    case 'waiting':
      return <WaitingTable view={view} rows={state.waiting} />;
    case 'failed':
      return (
        <>
          <FailedTable view={view} rows={state.failed} />
          <FailedJobs server={server} />
        </>
      );
    case 'doubt':
      return (
        <>
          <DoubtNotice />
          <NeedsTable view={view} rows={state.needs.filter(({ kind }) => kind === 'in_doubt')} />
        </>
      );
    case 'finished':
      return showFinished(app, asked, view);
  }
}

async function showFinished({ ledger }: App, { account, before }: Asked, view: View) {
  const rows = await listFinished(ledger, { before, account: account || undefined, limit: 4 * PAGE_ROWS + 1 });
  const { page, more } = splitPage(rows, 4 * PAGE_ROWS);
  const pathOf = (from?: number) => addressOf('/queue', { list: 'finished', account, before: from });
  return (
    <>
      <FinishedTable view={view} rows={page} />
      <StepPager
        first={before === undefined ? undefined : pathOf()}
        next={more && pathOf(page.at(-1)!.seq)}
        says={`${page.length} entries`}
      />
    </>
  );
}
