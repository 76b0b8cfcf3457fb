import type { ComponentChildren } from 'preact';
import { ACTIONS } from '../../../../schemas/actions.ts';
import { SHOWN, shownOfState } from '../../../../schemas/shown.ts';
import type { NamedPart } from '../../../../schemas/steps.ts';
import { type Need, NEEDS } from '../../../explain/needs-you.ts';
import { capital } from '../../../explain/why/sentence.ts';
import { type Blocked, type QueueState, SHOWN_OF_BLOCKED } from '../../../explain/read-queue.ts';
import { ALL_ACCOUNTS } from '../../../ledger/account/pause-account.ts';
import type { FinishedStep } from '../../../ledger/overview/list-audit.ts';
import { pathWith, SUBJECT_PATHS } from '../../actions/find-subject.ts';
import { type Viewer, viewerMay } from '../../access/viewer.ts';
import { addressOf } from '../../parts/address.ts';
import { type Column, Notice, Table } from '../../parts/blocks.tsx';
import { StepLine } from '../../parts/steps.tsx';
import { sayDuration } from '../../parts/when.ts';
import { Count, Moment, Money, State, StateBadge } from '../../parts/words.tsx';

/** Who looks, and how moments and money of an account are shown. */
export type View = {
  readonly viewer: Viewer;
  /** Address of the list, to which actions lead back. */
  readonly here?: string;
  zoneOf(account: string): string;
  currencyOf(account: string): string | undefined;
};

/** Rows on a page of a long list. */
export const PAGE_ROWS = 50;

/** Rows of a list, and who looks at them. */
export type Listed<Row> = { view: View; rows: readonly Row[] };

/**
 * Shows what waits for a person, each with the one step that settles it.
 * @param first columns before the others
 */
export function NeedsTable({ view, rows, first = [] }: Listed<Need> & { first?: readonly Column<Need>[] }) {
  return (
    <Table
      label="What needs you"
      rows={rows}
      empty="Nothing needs you. What is in doubt, refused, stopped, held or late is listed here."
      columns={[
        ...first,
        { title: 'What', cell: (need) => <Subject need={need} />, place: 'name' },
        { title: 'State', cell: ({ kind }) => <Word of={NEEDS[kind]} shown={kind} />, place: 'of-state' },
        {
          title: 'Money',
          cell: ({ amount, account }) => amount && <Money cents={amount.cents} currency={view.currencyOf(account)} />,
          isFigure: true,
          place: 'amount',
        },
        { title: 'Account', cell: ({ account }) => <AccountLink account={account} /> },
        { title: 'Since', cell: ({ since, account }) => since && <Since view={view} account={account} at={since} /> },
        { title: 'Why', cell: (need) => <Why need={need} view={view} /> },
        { title: 'What helps', cell: (need) => <Help need={need} view={view} /> },
      ]}
    />
  );
}

function Word({ of: { word, tone, means }, shown }: { of: (typeof NEEDS)[keyof typeof NEEDS]; shown: string }) {
  return (
    <span class={`state ${tone}`} data-state={shown} title={means}>
      {word}
    </span>
  );
}

function Subject({ need: { what, fileId, batchNo, kind } }: { need: Need }) {
  if (kind === 'proposal') return <a href="/approvals">{what}</a>;
  if (kind === 'failed') return <a href="/schedules">{what}</a>;
  return fileId === null ? <>{capital(what)}</> : <a href={pathOf(fileId, batchNo)}>{what}</a>;
}

function pathOf(fileId: string, batchNo: number | null): string {
  return batchNo === null ? `/files/${fileId}` : `/files/${fileId}/batches/${batchNo}`;
}

function Why({ need: { says, behind, account }, view }: { need: Need; view: View }) {
  return (
    <>
      {capital(says)}
      {behind !== null && behind.rows > 0 && (
        <>
          {'. '}
          <Count of={behind.rows} noun="payment" />
          {account === ALL_ACCOUNTS ? null : (
            <>
              {', '}
              <Money cents={behind.cents} currency={view.currencyOf(account)} />,
            </>
          )}{' '}
          {behind.rows === 1 ? 'waits' : 'wait'} behind it
        </>
      )}
    </>
  );
}

/** An action that the viewer may not take is left out: a button that refuses is no help. */
function Help({ need: { next, kind }, view }: { need: Need; view: View }) {
  if (kind === 'proposal') return viewerMay(view.viewer, 'confirm') ? <a href="/approvals">Decide</a> : null;
  const link = next && linkTo(next, view);
  return link ? (
    <a class="button" href={link.path}>
      {link.label}
    </a>
  ) : null;
}

function linkTo(next: NamedPart, { viewer, here }: View): { path: string; label: string } | null {
  if ('action' in next) {
    const { label, to } = ACTIONS[next.action];
    if (!viewerMay(viewer, next.action)) return null;
    const path = `${pathWith(SUBJECT_PATHS[to], next)}/do/${next.action}`;
    return { path: addressOf(path, { from: here }), label: `${label}…` };
  }
  const path = pathWith(SUBJECT_PATHS.batch, next);
  return 'see' in next && next.see === 'doubt'
    ? { path: `${path}/resolve`, label: 'Resolve' }
    : { path: `${path}#s-what-was-sent-and-what-was-returned`, label: 'Compare' };
}

/** Leads to an account; `*` stands for all, an empty name for none. */
export function AccountLink({ account }: { account: string }) {
  if (account === '') return null;
  if (account === ALL_ACCOUNTS) return <a href="/accounts">all accounts</a>;
  return <a href={`/accounts/${account}`}>{account}</a>;
}

/** Shows a moment, on hover also in the zone of its account. */
export function Since({ view, account, at }: { view: View; account: string; at: Date }) {
  return <Moment at={at} timeZone={view.zoneOf(account)} />;
}

/** Shows what is not sent, under the cause that keeps it, with its money and what helps. */
export function BlockedGroups({ view, rows }: Listed<Blocked>) {
  if (rows.length === 0)
    return <p class="empty">Nothing is blocked. Payments of an account that sends nothing are listed here.</p>;
  return (
    <>
      {rows.map((group) => (
        <BlockedGroup key={group.account} view={view} group={group} />
      ))}
    </>
  );
}

function BlockedGroup({ view, group: { account, causes, depth, batches } }: { view: View; group: Blocked }) {
  const [first, ...others] = causes;
  return (
    <div class="group">
      <h3>{capital(first.says)}</h3>
      <p class="hint">
        <Count of={depth.things} noun="batch" /> of account <AccountLink account={account} />, with{' '}
        <Count of={depth.rows} noun="payment" />, <Money cents={depth.cents} currency={view.currencyOf(account)} />,{' '}
        {depth.things === 1 ? 'waits' : 'wait'} behind it. <CauseLink cause={first} />
        {others.length > 0 && ` Also: ${others.map(({ says }) => says).join('; ')}.`}
      </p>
      <Table
        label={`Batches of ${account} that wait`}
        rows={batches}
        empty=""
        columns={[
          ...batchColumns(view),
          { title: 'Waits since', cell: ({ since }) => <Since {...{ view, account }} at={since} /> },
        ]}
      />
      {depth.things > SHOWN_OF_BLOCKED && <p class="soft">The first {SHOWN_OF_BLOCKED} are shown.</p>}
    </div>
  );
}

function CauseLink({ cause }: { cause: Blocked['causes'][number] }) {
  const { kind, fileId } = cause;
  const words = fileId === null ? 'See the account' : kind === 'in_doubt' ? 'Resolve it' : 'See the batch';
  return <a href={pathOfCause(cause)}>{words}</a>;
}

/** Returns where a person settles what keeps an account from sending. */
export function pathOfCause({ kind, account, fileId, batchNo }: Blocked['causes'][number]): string {
  if (fileId === null) return account === ALL_ACCOUNTS ? '/accounts' : `/accounts/${account}`;
  return `${pathOf(fileId, batchNo)}${kind === 'in_doubt' ? '/resolve' : ''}`;
}

type BatchLine = { fileId: string; batchNo: number; name: string; account: string; rows: number; cents: number };

function batchColumns(view: View): Column<BatchLine>[] {
  return [
    {
      title: 'Batch',
      cell: ({ fileId, batchNo, name }) => <a href={pathOf(fileId, batchNo)}>{`${name}, batch ${batchNo}`}</a>,
      place: 'name',
    },
    { title: 'Payments', cell: ({ rows }) => <Count of={rows} />, isFigure: true },
    {
      title: 'Money',
      cell: ({ cents, account }) => <Money cents={cents} currency={view.currencyOf(account)} />,
      isFigure: true,
      place: 'amount',
    },
  ];
}

/** Shows files on their way that need no person, the oldest first. */
export function WaitingTable({ view, rows }: Listed<QueueState['waiting'][number]>) {
  return (
    <Table
      label="Files in progress"
      rows={rows}
      empty="Nothing is in progress. A dropped file is listed here until every row has an outcome."
      columns={[
        { title: 'File', cell: (file) => <a href={`/files/${file.file_id}`}>{file.name}</a>, place: 'name' },
        { title: 'Account', cell: ({ account }) => <AccountLink account={account} /> },
        { title: 'State', cell: (file) => <StateBadge of={file} />, place: 'of-state' },
        {
          title: 'Rows',
          cell: ({ records }) => (records === null ? 'being read' : <Count of={records} />),
          isFigure: true,
          place: 'amount',
        },
        { title: 'Batches done', cell: ({ done, batches }) => (batches === 0 ? '' : `${done} of ${batches}`) },
        { title: 'Since', cell: ({ account, state_at: at }) => <Since {...{ view, account, at }} /> },
      ]}
    />
  );
}

/** Shows what fails each time paydrop tries it. */
export function FailedTable({ view, rows }: Listed<QueueState['failed'][number]>) {
  return (
    <Table
      label="Work that fails"
      rows={rows}
      empty="Nothing fails. Work that fails repeatedly is listed here with what helps."
      columns={[
        {
          title: 'What',
          cell: ({ what, fileId }) => (fileId === null ? what : <a href={`/files/${fileId}`}>{what}</a>),
          place: 'name',
        },
        {
          title: 'Since',
          cell: ({ since, account }) => since && <Since {...{ view }} account={account ?? ''} at={since} />,
        },
        { title: 'Why', cell: ({ why }) => why },
        { title: 'What helps', cell: ({ step }) => <StepLine step={step} viewer={view.viewer} /> },
      ]}
    />
  );
}

/** Says why what is in doubt is never tried again by itself. */
export function DoubtNotice(): ComponentChildren {
  return (
    <Notice kind="info" title="What is in doubt cannot be sent again from a list">
      <p>The service may have taken these payments. Each batch is resolved on its own page, with evidence.</p>
    </Notice>
  );
}

/** Shows what ended, newest first. */
export function FinishedTable({ view, rows }: Listed<FinishedStep>) {
  return (
    <Table
      label="Finished in the last 14 days"
      rows={rows}
      empty="Nothing ended in the last 14 days."
      columns={[
        { title: 'What', cell: (step) => <Finished step={step} />, place: 'name' },
        { title: 'State', cell: ({ state }) => <State state={state} />, place: 'of-state' },
        {
          title: 'Money',
          cell: ({ cents, account }) =>
            cents !== null && <Money cents={cents} currency={view.currencyOf(account ?? '')} />,
          isFigure: true,
          place: 'amount',
        },
        { title: 'Account', cell: ({ account }) => <AccountLink account={account ?? ''} /> },
        { title: 'When', cell: ({ at, account }) => <Since {...{ view, at }} account={account ?? ''} /> },
        { title: 'Took', cell: ({ tookMs }) => (tookMs === null ? '' : sayDuration(tookMs)) },
        { title: 'Why', cell: (step) => (isOrdinary(step) ? '' : capital(step.reason)) },
      ]}
    />
  );
}

/** Whether it ended well by itself, so that its state says all. */
function isOrdinary({ actor, state }: FinishedStep): boolean {
  const shown = shownOfState(state);
  return actor.startsWith('worker:') && shown !== undefined && SHOWN[shown].tone === 'good';
}

function Finished({ step: { fileId, batchNo, name } }: { step: FinishedStep }) {
  if (fileId === null) return <a href="/schedules">Schedule</a>;
  return <a href={pathOf(fileId, batchNo)}>{batchNo === null ? name : `${name}, batch ${batchNo}`}</a>;
}
