import { SHOWN } from '../../../../schemas/shown.ts';
import type { OpenWork } from '../../../ledger/overview/overview.ts';
import { isBalanced } from '../../../reconcile/balance-day.ts';
import type { Viewer } from '../../access/viewer.ts';
import { type Column, Notice, Section } from '../../parts/blocks.tsx';
import { StepLine } from '../../parts/steps.tsx';
import { Count, Money, Moment, State } from '../../parts/words.tsx';
import { AttentionGroup } from './attention-group.tsx';
import type { Front } from './read-front.ts';

type Batch = OpenWork['doubt'][number];

/** Shows everything that needs a person, worst first: paydrop's own trouble, then batches in doubt; late work last. */
export function AttentionList({ front, viewer }: Part & { viewer: Viewer }) {
  const groups = [
    <Trouble key="trouble" front={front} />,
    <Obstacles key="obstacles" front={front} viewer={viewer} />,
    ...BATCH_NEEDS.map((need) => <Batches key={need.state} front={front} {...need} />),
    <Stopped key="stopped" front={front} />,
    <Held key="held" front={front} />,
    <Proposals key="proposals" front={front} />,
    <Overdue key="overdue" front={front} />,
    <LateRuns key="runs" front={front} />,
    <MissingFiles key="files" front={front} />,
  ];
  return (
    <Section title="Needs attention" live="needs">
      {isCalm(front) ? (
        <Notice kind="good" title="Nothing needs attention">
          <p>
            Nothing is in doubt, nothing needs approval and nothing is late. paydrop, its ledger, its queue and its send
            journal are working.
          </p>
        </Notice>
      ) : (
        groups
      )}
    </Section>
  );
}

function isCalm({ standing, held, stops, late, obstacles, unready, unreached, today }: Front): boolean {
  const { doubt, proposals } = standing;
  if (!today.every(isBalanced)) return false;
  const waiting = [
    doubt,
    standing.late,
    held,
    stops,
    proposals,
    unready,
    unreached,
    obstacles,
    late.lateRuns,
    late.missingFiles,
  ];
  return waiting.every((list) => list.length === 0);
}

type Part = { front: Front };

function Trouble({ front: { unready, unreached, today } }: Part) {
  return (
    <>
      {unready.length > 0 && (
        <Notice kind="bad" title="paydrop is not working">
          <ul>
            {unready.map(({ part, why }) => (
              <li key={part}>
                {part}: {why}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {today
        .filter((report) => !isBalanced(report))
        .map(({ account, day }) => (
          <Notice key={account} kind="bad" title={`The day of account ${account} does not balance`}>
            <p>
              Rows or money were lost or added, or the ledger was changed by hand.{' '}
              <a href={`/report?account=${account}&day=${day}`}>See the day</a>
            </p>
          </Notice>
        ))}
      {unreached.map(({ account }) => (
        <Notice key={account} kind="bad" title={`The service cannot be reached for account ${account}`}>
          <p>Batches repeatedly go back unsent. Nothing is lost; paydrop keeps retrying.</p>
        </Notice>
      ))}
    </>
  );
}

function Obstacles({ front, viewer }: Part & { viewer: Viewer }) {
  return (
    <AttentionGroup
      title="Not making progress"
      items={front.obstacles}
      hint="paydrop retries these automatically, and they fail each time."
      columns={[
        {
          title: 'What',
          cell: ({ what, fileId }) => (fileId === null ? what : <a href={`/files/${fileId}`}>{what}</a>),
        },
        {
          title: 'Since',
          cell: ({ since, account }) => since && <Moment at={since} timeZone={front.zoneOf(account ?? '')} />,
        },
        { title: 'Why', cell: ({ why }) => why },
        { title: 'What helps', cell: ({ step }) => <StepLine step={step} viewer={viewer} /> },
      ]}
    />
  );
}

const BATCH_NEEDS = [
  {
    state: 'unknown',
    title: SHOWN.in_doubt.word,
    hint: 'The service may or may not have taken these batches. They are not sent again, and their accounts are stopped until they are resolved. Never drop such a file again.',
  },
  {
    state: 'exception',
    title: SHOWN.mismatch.word,
    hint: 'The service returned a result that differs from what was sent. Its rows have no outcome yet.',
  },
  {
    state: 'refused',
    title: SHOWN.refused.word,
    hint: 'Nothing in these batches was charged. Their accounts are stopped until the cause is fixed.',
  },
] as const;

function Batches({ front, state, title, hint }: Part & (typeof BATCH_NEEDS)[number]) {
  const batches = front.standing.doubt.filter((batch) => batch.state === state);
  const columns = [{ title: 'Batch', cell: (batch: Batch) => <BatchLink {...batch} /> }, ...sumColumns(front)];
  return <AttentionGroup title={title} items={batches} hint={hint} sumsOf={front} columns={columns} />;
}

type Sum = { account: string; rows: number; cents: number; since: Date; reason: string | null };

function sumColumns(front: Front): Column<Sum>[] {
  return [
    { title: 'Account', cell: ({ account }) => <AccountLink account={account} /> },
    { title: 'Rows', cell: ({ rows }) => <Count of={rows} />, isFigure: true },
    moneyOf(front),
    { title: 'Since', cell: ({ since, account }) => <Moment at={since} timeZone={front.zoneOf(account)} /> },
    { title: 'Why', cell: ({ reason }) => reason ?? '' },
  ];
}

function moneyOf(front: Front): Column<Pick<Sum, 'account' | 'cents'>> {
  return {
    title: 'Money',
    cell: ({ cents, account }) => <Money cents={cents} currency={front.currencyOf(account)} />,
    isFigure: true,
  };
}

function Stopped({ front }: Part) {
  return (
    <AttentionGroup
      title="Stopped accounts"
      items={front.stops}
      hint="They send nothing. Results of batches already sent are still fetched."
      columns={[
        {
          title: 'Account',
          cell: ({ account }) =>
            account === '*' ? <a href="/accounts">all accounts</a> : <AccountLink account={account} />,
        },
        { title: 'By', cell: ({ kind, actor }) => (kind === 'pause' ? actor : 'paydrop') },
        { title: 'Since', cell: ({ since, account }) => <Moment at={since} timeZone={front.zoneOf(account)} /> },
        { title: 'Why', cell: ({ reason }) => reason },
      ]}
    />
  );
}

function Held({ front }: Part) {
  return (
    <AttentionGroup
      title={SHOWN.needs_approval.word}
      items={front.held}
      sumsOf={front}
      hint="Nothing in these files is sent until a person approves them."
      columns={[
        { title: 'File', cell: ({ fileId, name }) => <a href={`/files/${fileId}`}>{name}</a> },
        ...sumColumns(front),
      ]}
    />
  );
}

function Proposals({ front }: Part) {
  const { proposals } = front.standing;
  return (
    <AttentionGroup
      title="Waiting for approval"
      items={proposals}
      sumsOf={front}
      hint="One person has proposed these; another must confirm or refuse them."
      columns={[
        { title: 'Proposal', cell: (row) => <a href="/proposals">{`${row.action} ${row.name}`}</a> },
        { title: 'Account', cell: ({ account }) => <AccountLink account={account} /> },
        moneyOf(front),
        { title: 'By', cell: (row) => row.made_by },
        { title: 'Why', cell: ({ reason }) => reason },
      ]}
    />
  );
}

function Overdue({ front }: Part) {
  const { late } = front.standing;
  return (
    <AttentionGroup
      title="Overdue results"
      items={late}
      sumsOf={front}
      hint="The service has these batches; paydrop keeps asking for results. Ask its support about the batch ids."
      columns={[
        { title: 'Batch', cell: (batch) => <BatchLink {...batch} /> },
        { title: 'Account', cell: ({ account }) => <AccountLink account={account} /> },
        { title: 'Batch id', cell: ({ batchId }) => <span class="id">{batchId}</span> },
        moneyOf(front),
        {
          title: 'Sent',
          cell: ({ submittedAt, account }) =>
            submittedAt && <Moment at={submittedAt} timeZone={front.zoneOf(account)} />,
        },
        { title: 'The service says', cell: ({ says }) => says ?? 'nothing yet' },
      ]}
    />
  );
}

function LateRuns({ front }: Part) {
  return (
    <AttentionGroup
      title="Missed or failed runs"
      items={front.late.lateRuns}
      hint={
        <>
          The next run takes the files in the folders in any case: <a href="/schedules">see the schedules</a>.
        </>
      }
      columns={[
        { title: 'Schedule', cell: ({ schedule }) => schedule },
        { title: 'Day', cell: ({ day }) => day },
        { title: 'State', cell: ({ state }) => <State state={state} /> },
        { title: 'Why', cell: ({ says }) => says },
      ]}
    />
  );
}

function MissingFiles({ front }: Part) {
  return (
    <AttentionGroup
      title="Expected files that have not arrived"
      items={front.late.missingFiles}
      hint="Ask the sender."
      columns={[
        { title: 'Folder', cell: ({ folder }) => folder },
        { title: 'Account', cell: ({ account }) => <AccountLink account={account} /> },
        { title: 'Day', cell: ({ day }) => day },
        { title: 'By', cell: ({ by }) => by },
      ]}
    />
  );
}

function BatchLink({ fileId, batchNo, name }: { fileId: string; batchNo: number; name: string }) {
  return <a href={`/files/${fileId}/batches/${batchNo}`}>{`${name}, batch ${batchNo}`}</a>;
}

function AccountLink({ account }: { account: string }) {
  return <a href={`/accounts/${account}`}>{account}</a>;
}
