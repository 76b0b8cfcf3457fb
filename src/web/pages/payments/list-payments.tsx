import type { FastifyInstance, FastifyRequest } from 'fastify';
import { saidCode } from '../../../../schemas/errors.ts';
import { rejectionOf } from '../../../../schemas/rejections.ts';
import { adviceOn, SHOWN, SHOWN_ADVICE, SHOWN_OUTCOMES, shownOfState } from '../../../../schemas/shown.ts';
import type { App } from '../../../app.ts';
import { capital } from '../../../explain/why/sentence.ts';
import { listViews } from '../../../ledger/person/people.ts';
import {
  countIssues,
  type Issue,
  type IssueFilter,
  issueNumber,
  type IssueRow,
  ISSUES,
  listIssues,
} from '../../../ledger/row/list-issues.ts';
import { fieldOf } from '../../access/read-form.ts';
import { Chips, type ListColumn, ListTable, type OpenList, readPage } from '../../lists/list.tsx';
import { type FixedView, ViewTabs } from '../../lists/saved-views.tsx';
import { Section } from '../../parts/blocks.tsx';
import { ChoiceField, TextField } from '../../parts/form.tsx';
import { Page } from '../../parts/page.tsx';
import { Moment, Money, OutcomeWord, PaymentLink, State } from '../../parts/words.tsx';
import { sendPage } from '../../send-page.ts';
import { accountAsked } from '../../shell/read-shell.ts';
import { type WebContext, viewerOf } from '../../web-context.ts';
import { customsOf } from '../files/read-address.ts';

/** Serves `/payments`: the newest payments with an issue. */
export function paymentsPage(server: FastifyInstance, { app }: WebContext): void {
  server.get('/payments', async (request, reply) => {
    const viewer = viewerOf(request);
    const list = openIssueList({ app }, request);
    const [page, views] = await Promise.all([
      readPage(list, app.ledger, request.query),
      listViews(app.ledger, viewer.person, list.name),
    ]);
    const { account, issue } = askedOf(request);
    return sendPage(
      reply,
      <Page title="Payments" viewer={viewer} path="/payments" only={account}>
        <form action="/search" class="inline filter">
          <TextField name="q" within="payments" label="Find a payment" type="search" autocomplete="off" />
          <div>
            <button type="submit">Search</button>
          </div>
        </form>
        <ViewTabs viewer={viewer} list={list} page={page} views={views} fixed={TABS} />
        <Section title="Payments with an issue">
          <FilterForm accounts={[...app.settings.accounts.keys()]} account={account} issue={issue} />
          <Chips list={list} />
          <ListTable
            list={list}
            page={page}
            label="Payments with an issue"
            empty="None. Payments that were not made, or may not have been, are listed here until they are sent again."
          />
        </Section>
      </Page>,
    );
  });
}

/** Opens the list of payments with an issue that an address asks for. */
export function openIssueList({ app }: Pick<WebContext, 'app'>, request: FastifyRequest): OpenList<IssueRow, 'time'> {
  const filter = askedOf(request);
  return {
    name: 'issues',
    path: '/payments',
    filter,
    orders: { time: true },
    size: 50,
    isOneWay: true,
    columns: columnsIn(app),
    numberOf: issueNumber,
    read: (ledger, page) => listIssues(ledger, filter, page),
    count: (ledger, most) => countIssues(ledger, filter, most),
  };
}

function askedOf(request: FastifyRequest): IssueFilter {
  const issue = fieldOf(request.query, 'issue');
  return { issue: Object.hasOwn(ISSUES, issue) ? (issue as Issue) : '', account: accountAsked(request) };
}

/** The words for each issue, as for the outcome or the state that it stands for. */
const WORDS: Readonly<Record<Issue, string>> = {
  in_doubt: SHOWN.in_doubt.word,
  mismatch: SHOWN.mismatch.word,
  refused: SHOWN.refused.word,
  declined: SHOWN_OUTCOMES.declined.word,
  duplicate: SHOWN_OUTCOMES.duplicate.word,
  format_error: SHOWN_OUTCOMES.format_error.word,
  not_charged: SHOWN_OUTCOMES.not_charged.word,
  invalid: SHOWN_OUTCOMES.invalid.word,
};

const TABS: readonly FixedView[] = [
  { label: 'All', query: {} },
  ...(['in_doubt', 'declined', 'invalid'] as const).map((issue) => ({ label: WORDS[issue], query: { issue } })),
];

function FilterForm({ accounts, account, issue }: IssueFilter & { accounts: readonly string[] }) {
  const issues = (Object.keys(ISSUES) as Issue[]).map((value) => ({ value, label: WORDS[value] }));
  return (
    <form action="/payments" class="inline filter">
      <ChoiceField name="issue" label="Issue" value={issue} choices={[{ value: '', label: 'Any issue' }, ...issues]} />
      <ChoiceField
        name="account"
        label="Account"
        value={account}
        choices={[{ value: '', label: 'Any account' }, ...accounts.map((value) => ({ value, label: value }))]}
      />
      <div>
        <button type="submit">Show</button>
      </div>
    </form>
  );
}

function columnsIn(app: App): ListColumn<IssueRow>[] {
  return [
    {
      title: 'Payment',
      place: 'name',
      cell: ({ fileId, line, invoice }) => (
        <PaymentLink fileId={fileId} line={line}>
          {invoice || `line ${line}`}
        </PaymentLink>
      ),
      value: ({ invoice }) => invoice,
    },
    { title: 'Customer code', cell: ({ customerCode }) => customerCode, value: ({ customerCode }) => customerCode },
    {
      title: 'Number',
      cell: ({ lastFour }) => lastFour && <span class="id">••{lastFour}</span>,
      value: ({ lastFour }) => lastFour && `…${lastFour}`,
    },
    {
      title: 'Amount',
      place: 'amount',
      isFigure: true,
      cell: ({ cents, account }) =>
        cents !== null && <Money cents={cents} currency={customsOf(app, account).currency} />,
      value: ({ cents }) => (cents === null ? null : { cents }),
    },
    { title: 'Currency', value: ({ account }) => customsOf(app, account).currency ?? '' },
    {
      title: 'Outcome',
      place: 'of-state',
      cell: ({ outcome, batchState }) =>
        outcome === null ? batchState && <State state={batchState} /> : <OutcomeWord outcome={outcome} />,
      value: wordOf,
    },
    { title: 'Why', cell: whyOf, value: whyOf },
    { title: 'Advice', cell: adviceOf, value: adviceOf },
    {
      title: 'File',
      cell: ({ fileId, name, line }) => <a href={`/files/${fileId}`}>{`${name}, line ${line}`}</a>,
      value: ({ name }) => name,
    },
    { title: 'Line', value: ({ line }) => line },
    { title: 'Account', cell: ({ account }) => account, value: ({ account }) => account },
    {
      title: 'Since',
      isMoment: true,
      cell: ({ since, account }) => <Moment at={since} timeZone={customsOf(app, account).timeZone} />,
      value: ({ since }) => since,
    },
  ];
}

function wordOf({ outcome, batchState }: IssueRow): string {
  if (outcome !== null) return SHOWN_OUTCOMES[outcome].word;
  const shown = shownOfState(batchState ?? '');
  return shown === undefined ? '' : SHOWN[shown].word;
}

function whyOf({ code, fault }: IssueRow): string {
  if (code !== null) return rejectionOf(code).message;
  return fault === null ? '' : capital(saidCode(fault));
}

/** A payment without an outcome is looked up first, unless the service refused it. */
function adviceOf({ outcome, code, batchState }: IssueRow): string {
  const advice = outcome === null ? (batchState === 'refused' ? 'later' : 'unknown') : adviceOn(outcome, code);
  return advice === undefined ? '' : capital(SHOWN_ADVICE[advice].says);
}
