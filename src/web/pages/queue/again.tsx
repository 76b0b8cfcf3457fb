import { ADVICE, type Advice, rejectionOf } from '../../../../schemas/rejections.ts';
import { adviceOn, SHOWN_ADVICE } from '../../../../schemas/shown.ts';
import type { App } from '../../../app.ts';
import type { QueueState } from '../../../explain/read-queue.ts';
import { capital } from '../../../explain/why/sentence.ts';
import {
  type AgainPlace,
  type AgainRow,
  listAgain,
  MOST_AGAIN,
  sumAgain,
} from '../../../ledger/overview/may-go-again.ts';
import { viewerMay } from '../../access/viewer.ts';
import { addressOf } from '../../parts/address.ts';
import { type Column, splitPage, StepPager, Table } from '../../parts/blocks.tsx';
import { ActionLinks } from '../../parts/page.tsx';
import { Count, Money, OutcomeWord, PaymentLink } from '../../parts/words.tsx';
import { AccountLink, type Listed, NeedsTable, PAGE_ROWS, Since, type View } from './lists.tsx';

/** What the address asks for of this list. */
type AgainAsked = { account: string; advice: Advice | 'all'; after: AgainPlace | undefined };

/** Shows payments of one advice that may go again, with their sum, and other work that may be tried again. */
export async function showAgain({ ledger }: App, asked: AgainAsked, state: QueueState, view: View) {
  const filter = { account: asked.account || undefined, advice: asked.advice === 'all' ? undefined : asked.advice };
  const [rows, sums] = await Promise.all([
    listAgain(ledger, filter, { after: asked.after, limit: PAGE_ROWS + 1 }),
    sumAgain(ledger, filter),
  ]);
  const { page, more } = splitPage(rows, PAGE_ROWS);
  const last = page.at(-1);
  const count = sums.reduce((sum, one) => sum + one.rows, 0);
  const pathOf = (advice: string) => addressOf('/queue', { list: 'again', advice, account: asked.account });
  const first = pathOf(asked.advice);
  return (
    <>
      <nav class="tabs" aria-label="Advice">
        <ul>
          {[...ADVICE, 'all' as const].map((advice) => (
            <li key={advice}>
              <a href={pathOf(advice)} aria-current={advice === asked.advice ? 'true' : undefined}>
                {advice === 'all' ? 'All' : SHOWN_ADVICE[advice].word}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <p class="hint">
        <Count of={count} noun="payment" />
        {count >= MOST_AGAIN && ' or more'}
        {sums.map(({ account, cents }) => (
          <span key={account}>
            , <Money cents={cents} currency={view.currencyOf(account)} /> of {account}
          </span>
        ))}
      </p>
      <AgainTable view={view} rows={page} />
      <StepPager
        first={asked.after && first}
        next={more && last && `${first}&after=${last.fileNo}.${last.line}`}
        says={`${page.length} payments`}
      />
      {asked.after === undefined && <AgainWork view={view} needs={state.needs} lost={state.lost} />}
    </>
  );
}

/** @param first columns before the others, such as one of boxes */
function AgainTable({ view, rows, first = [] }: Listed<AgainRow> & { first?: readonly Column<AgainRow>[] }) {
  return (
    <Table
      label="Payments that may go again"
      rows={rows}
      empty="Nothing of this kind. Payments of finished files that were not made are listed here until they are sent again."
      columns={[
        ...first,
        {
          title: 'Payment',
          cell: ({ fileId, line, invoice }) => (
            <PaymentLink fileId={fileId} line={line}>
              {invoice || `line ${line}`}
            </PaymentLink>
          ),
          place: 'name',
        },
        { title: 'Number', cell: ({ lastFour }) => lastFour && `••${lastFour}` },
        {
          title: 'Amount',
          cell: ({ cents, account }) => <Money cents={cents} currency={view.currencyOf(account)} />,
          isFigure: true,
          place: 'amount',
        },
        { title: 'Outcome', cell: ({ outcome }) => <OutcomeWord outcome={outcome} />, place: 'of-state' },
        { title: 'Why', cell: ({ code }) => (code === null ? '' : rejectionOf(code).message) },
        { title: 'Advice', cell: (row) => capital(adviceOf(row).says) },
        { title: 'File', cell: ({ fileId, name, line }) => <a href={`/files/${fileId}`}>{`${name}, line ${line}`}</a> },
        { title: 'Account', cell: ({ account }) => <AccountLink account={account} /> },
        { title: 'Since', cell: ({ since, account }) => <Since {...{ view, account }} at={since} /> },
        {
          title: 'What helps',
          cell: (row) =>
            mayBeResubmitted(row) && viewerMay(view.viewer, 'resubmit') ? (
              <a href={`/files/${row.fileId}/do/resubmit`}>Resubmit…</a>
            ) : null,
        },
      ]}
    />
  );
}

/** Rows with these advices are left out of every new file, so no link offers it. */
function mayBeResubmitted(row: AgainRow): boolean {
  const advice = adviceOf(row);
  return advice !== SHOWN_ADVICE.never && advice !== SHOWN_ADVICE.unknown;
}

/** Returns what to do about a row. */
function adviceOf({ outcome, code }: AgainRow): (typeof SHOWN_ADVICE)['later'] {
  return SHOWN_ADVICE[adviceOn(outcome, code) ?? 'unknown'];
}

/** Shows other work that may be tried again, each with the action that does it. */
function AgainWork({ view, needs, lost }: { view: View } & Pick<QueueState, 'needs' | 'lost'>) {
  const work = needs.filter(({ kind }) => kind === 'refused' || kind === 'overdue' || kind === 'failed');
  if (work.length === 0 && lost.length === 0) return null;
  return (
    <div class="group">
      <h3>Other work</h3>
      {work.length > 0 && <NeedsTable view={view} rows={work} />}
      {lost.length > 0 && (
        <Table
          label="Files that were sent again and have not come back"
          rows={lost}
          empty=""
          columns={[
            { title: 'Sent again as', cell: ({ name }) => name, place: 'name' },
            {
              title: 'Money',
              cell: ({ cents, account }) => <Money cents={cents} currency={view.currencyOf(account)} />,
              isFigure: true,
              place: 'amount',
            },
            { title: 'State', cell: () => 'Has not come back', place: 'of-state' },
            { title: 'Since', cell: ({ since, account }) => <Since {...{ view, account }} at={since} /> },
            {
              title: 'What helps',
              cell: ({ fileId }) => (
                <ActionLinks viewer={view.viewer} actions={['resubmit']} base={`/files/${fileId}`} />
              ),
            },
          ]}
        />
      )}
    </div>
  );
}
