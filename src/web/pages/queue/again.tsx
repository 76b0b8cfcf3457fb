import type { ComponentChildren } from 'preact';
import { ADVICE, type Advice, NO_RETRY, rejectionOf } from '../../../../schemas/rejections.ts';
import { adviceOn, SHOWN_ADVICE } from '../../../../schemas/shown.ts';
import type { App } from '../../../app.ts';
import type { QueueState } from '../../../explain/read-queue.ts';
import type { Need } from '../../../explain/needs-you.ts';
import { groupDigits } from '../../../kernel/counted.ts';
import { capital } from '../../../explain/why/sentence.ts';
import {
  type AgainFilter,
  type AgainPlace,
  type AgainRow,
  type AgainSum,
  lastResubmission,
  listAgain,
  MOST_AGAIN,
  sumAgain,
} from '../../../ledger/overview/may-go-again.ts';
import { fieldOf } from '../../access/read-form.ts';
import { viewerMay } from '../../access/viewer.ts';
import { addressOf } from '../../parts/address.ts';
import { type Column, splitPage, StepPager, Table } from '../../parts/blocks.tsx';
import { Token } from '../../parts/page.tsx';
import { Count, Money, OutcomeWord, PaymentLink } from '../../parts/words.tsx';
import { AccountLink, type Listed, NeedsTable, PAGE_ROWS, Since, type View } from './lists.tsx';

/** What the address asks for of this list. */
type AgainAsked = { account: string; advice: Advice | 'all'; after: AgainPlace | undefined };

/** Returns which advice an address or a form asks for. Anything odd in it counts as not asked. */
export function adviceAsked(form: unknown): Advice | 'all' {
  const advice = fieldOf(form, 'advice');
  return advice === 'all' ? 'all' : (ADVICE.find((one) => one === advice) ?? 'later');
}

/** Returns the filter of this list as an address or a form asks for it. */
export function againAsked(form: unknown, account: string): AgainFilter {
  const advice = adviceAsked(form);
  return { account: account || undefined, advice: advice === 'all' ? undefined : advice };
}

/** Returns the filter of all payments that a list had when it was shown, also of those that were sent again since. */
export function listedAsked(form: unknown): AgainFilter {
  const [account, lastSent] = [fieldOf(form, 'account'), fieldOf(form, 'lastSent')];
  return { ...againAsked(form, account), sentAfter: /^\d{1,15}$/.test(lastSent) ? Number(lastSent) : undefined };
}

/** Returns how many payments these sums have, as text. At the limit of the count there may be more. */
export function againCount(sums: readonly AgainSum[]): string {
  const count = sums.reduce((sum, { rows }) => sum + rows, 0);
  return `${groupDigits(String(count))}${count >= MOST_AGAIN ? '+' : ''}`;
}

/** Shows payments of one advice that may go again, with their sum, and other work that may be tried again. */
export async function showAgain({ ledger }: App, asked: AgainAsked, state: QueueState, view: View) {
  const filter = againAsked({ advice: asked.advice }, asked.account);
  const lastSent = await lastResubmission(ledger);
  const [rows, sums] = await Promise.all([
    listAgain(ledger, filter, { after: asked.after, limit: PAGE_ROWS + 1 }),
    sumAgain(ledger, filter),
  ]);
  const { page, more } = splitPage(rows, PAGE_ROWS);
  const last = page.at(-1);
  const count = sums.reduce((sum, one) => sum + one.rows, 0);
  const pathOf = (advice: string) => addressOf('/queue', { list: 'again', advice, account: asked.account });
  const first = pathOf(asked.advice);
  const isFirst = asked.after === undefined;
  const mayGo = page.some(mayBeResubmitted);
  const work = isFirst ? findWork(state) : { needs: [], lost: [] };
  return (
    <>
      <nav class="tabs" aria-label="Advice">
        <ul>
          {[...ADVICE, 'all' as const].map((advice) => (
            <li key={advice}>
              <a href={pathOf(advice)} aria-current={advice === asked.advice ? 'true' : undefined}>
                {advice === 'all' ? 'All' : SHOWN_ADVICE[advice].word}
                {advice === 'all' && (
                  <>
                    {' '}
                    <span class="badge">{againCount(state.unpaid)}</span>
                  </>
                )}
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
      <SelectForm view={view} asked={asked} lastSent={lastSent} all={mayGo ? count : 0} hasWork={hasBoxes(work)}>
        <AgainTable view={view} rows={page} />
        <StepPager
          first={isFirst ? undefined : first}
          next={more && last && `${first}&after=${last.fileNo}.${last.line}`}
          says={`${page.length} payments`}
        />
        <AgainWork view={view} {...work} />
      </SelectForm>
    </>
  );
}

/**
 * Lets a person tick what is sent again; for others it only shows the lists.
 * @param lastSent number of the last resubmission: the plan names what of the list was sent again by later ones
 * @param all how many payments the whole list has
 */
function SelectForm({
  view: { viewer, here = '/queue?list=again' },
  asked,
  lastSent,
  all,
  hasWork,
  children,
}: {
  view: View;
  asked: AgainAsked;
  lastSent: number;
  all: number;
  hasWork: boolean;
  children: ComponentChildren;
}) {
  if (!viewerMay(viewer, 'reprocess') || (all === 0 && !hasWork)) return <>{children}</>;
  return (
    <form method="post" action="/queue/selections" data-select>
      <Token viewer={viewer} />
      <input type="hidden" name="from" value={here} />
      <input type="hidden" name="account" value={asked.account} />
      <input type="hidden" name="advice" value={asked.advice} />
      <input type="hidden" name="lastSent" value={String(lastSent)} />
      <p class="notice info" data-stale hidden>
        This list has changed since you ticked something. <a href={here}>Show it as it is now</a>
      </p>
      {all > 0 && (
        <label class="check">
          <input type="checkbox" name="all" value="1" data-count={all} /> All <Count of={all} />
          {all >= MOST_AGAIN && ' or more'} in this list
        </label>
      )}
      {children}
      <div class="select-bar no-print">
        <button type="submit" class="main">
          Reprocess…
        </button>
        <span data-ticked aria-live="polite" />
      </div>
    </form>
  );
}

/**
 * Returns a column of boxes for those who may have things sent again.
 * @param boxOf the value of the box of a row; undefined for a row that must not be sent again
 */
function boxColumn<Row extends { cents?: number; account: string }>(
  { viewer, currencyOf }: View,
  boxOf: (row: Row) => { value: string; label: string; rows?: number; cents: number } | undefined,
): Column<Row>[] {
  if (!viewerMay(viewer, 'reprocess')) return [];
  const cell = (row: Row) => {
    const box = boxOf(row);
    if (!box) return null;
    const { value, label, rows = 1, cents } = box;
    return (
      <input
        type="checkbox"
        name="item"
        id={`item-${value.replaceAll(/\W/g, '-')}`}
        value={value}
        aria-label={`Select ${label}`}
        data-count={rows}
        data-cents={cents}
        data-currency={currencyOf(row.account) ?? ''}
      />
    );
  };
  return [{ title: 'Select', cell }];
}

function AgainTable({ view, rows }: Listed<AgainRow>) {
  return (
    <Table
      label="Payments that may go again"
      rows={rows}
      empty="Nothing of this kind. Payments of finished files that were not made are listed here until they are sent again."
      columns={[
        ...boxColumn<AgainRow>(view, (row) => (mayBeResubmitted(row) ? boxOfRow(row) : undefined)),
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
      ]}
    />
  );
}

/** Rows with the other advices are left out of every new file, so they have no box. */
function mayBeResubmitted(row: AgainRow): boolean {
  return NO_RETRY.every((advice) => adviceOf(row) !== SHOWN_ADVICE[advice]);
}

function boxOfRow({ fileId, line, name, invoice, cents }: AgainRow) {
  return { value: `${fileId}/${line}`, label: invoice || `${name}, line ${line}`, cents };
}

/** Returns what to do about a row. */
function adviceOf({ outcome, code }: AgainRow): (typeof SHOWN_ADVICE)['later'] {
  return SHOWN_ADVICE[adviceOn(outcome, code) ?? 'unknown'];
}

type Work = Pick<QueueState, 'needs' | 'lost'>;

function findWork({ needs, lost }: QueueState): Work {
  return { needs: needs.filter(({ kind }) => kind === 'refused' || kind === 'overdue' || kind === 'failed'), lost };
}

function hasBoxes({ needs, lost }: Work): boolean {
  return lost.length > 0 || needs.some(({ kind }) => kind === 'refused');
}

/** Shows other work that may be tried again: with a box where a run can do it, otherwise with its action. */
function AgainWork({ view, needs, lost }: { view: View } & Work) {
  if (needs.length === 0 && lost.length === 0) return null;
  const ofRefused = boxColumn<Need>(view, ({ kind, fileId, batchNo, what, amount }) =>
    kind === 'refused' && amount ? { ...amount, value: `batch:${fileId}/${batchNo}`, label: what } : undefined,
  );
  return (
    <div class="group">
      <h3>Other work</h3>
      {needs.length > 0 && <NeedsTable view={view} rows={needs} first={ofRefused} />}
      {lost.length > 0 && (
        <Table
          label="Files that were sent again and have not come back"
          rows={lost}
          empty=""
          columns={[
            ...boxColumn<(typeof lost)[number]>(view, ({ resubmissionNo, name, ...amount }) => ({
              ...amount,
              value: `lost:${resubmissionNo}`,
              label: name,
            })),
            { title: 'Sent again as', cell: ({ name }) => name, place: 'name' },
            {
              title: 'Money',
              cell: ({ cents, account }) => <Money cents={cents} currency={view.currencyOf(account)} />,
              isFigure: true,
              place: 'amount',
            },
            { title: 'State', cell: () => 'Has not come back', place: 'of-state' },
            { title: 'Since', cell: ({ since, account }) => <Since {...{ view, account }} at={since} /> },
          ]}
        />
      )}
    </div>
  );
}
