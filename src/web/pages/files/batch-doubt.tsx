import type { InDoubt } from '../../../ledger/doubt/in-doubt.ts';
import { describeWait } from '../../../explain/attempt-words.ts';
import { seenBatchIds } from '../../../explain/batch-reference.ts';
import { Facts, Notice, Table } from '../../parts/blocks.tsx';
import { byNumber, counted, groupDigits } from '../../../kernel/counted.ts';
import { Count, Moment, Money, PaymentLink } from '../../parts/words.tsx';
import type { Customs } from './read-address.ts';
import type { Comparison } from '../../../explain/compare-batch.ts';
import type { ComparedRow, ShownSide } from '../../../reconcile/compare-rows.ts';

/** Shows what is known of a batch that may or may not have been accepted. */
export function BatchDoubt({
  doubt: { batch, attempts, lateAnswers, reports, before, after, ...rest },
  now,
  resolveWaitMs,
  customs: { timeZone, currency },
}: {
  doubt: InDoubt;
  now: Date;
  /** How long after the call it may be declared not received, in ms; undefined for an account no longer configured. */
  resolveWaitMs: number | undefined;
  customs: Customs;
}) {
  const calledAt = attempts[0]?.started_at ?? batch.state_at;
  const seen = seenBatchIds({ attempts, lateAnswers });
  return (
    <>
      <Notice kind="bad" title="It may or may not have been accepted">
        <p>
          <Count of={batch.rows} noun="row" />, <Money cents={batch.cents} currency={currency} />. Never drop its file
          again: payers who were charged would be charged twice.
        </p>
      </Notice>
      <Facts
        facts={[
          ['Sent', <Moment at={calledAt} timeZone={timeZone} />],
          ['In doubt for', describeWait(now.getTime() - calledAt.getTime())],
          [
            'Can be marked as not received from',
            resolveWaitMs !== undefined && (
              <Moment at={new Date(calledAt.getTime() + resolveWaitMs)} timeZone={timeZone} />
            ),
          ],
          ['Why', batch.reason],
          ['Batch ids seen for it', seen.length > 0 && <span class="id">{seen.join(', ')}</span>],
          ['Batch id of the account just before', before && <span class="id">{before.batchId}</span>],
          ['Batch id of the account just after', after && <span class="id">{after.batchId}</span>],
        ]}
      />
      {lateAnswers.length > 0 && (
        <>
          <h3>Later answers</h3>
          <ul class="sentences">
            {lateAnswers.map(({ at, reason }, index) => (
              <li key={index}>
                <Moment at={at} timeZone={timeZone} /> {reason}
              </li>
            ))}
          </ul>
        </>
      )}
      <h3>Transaction reports read for it</h3>
      <Table
        label="Reports"
        rows={reports}
        empty="None. A transaction report of approved payments shows row by row what was charged."
        columns={[
          { title: 'Report', place: 'name', cell: ({ name }) => name },
          { title: 'Given', cell: ({ at }) => <Moment at={at} timeZone={timeZone} /> },
          { title: 'Rows found', isFigure: true, cell: ({ found }) => <Count of={found} /> },
          { title: 'Rows missing', isFigure: true, cell: ({ absent }) => <Count of={absent} /> },
          { title: 'Missing rows', cell: ({ covers }) => (covers ? 'were not booked by then' : 'prove nothing') },
        ]}
      />
      {!rest.proposal && (
        <p>
          <a class="button main" href={`/files/${batch.file_id}/batches/${batch.batch_no}/resolve`}>
            Resolve it step by step
          </a>
        </p>
      )}
    </>
  );
}

/** Shows differing rows side by side: what was sent and what the service returned. */
export function BatchComparison({ fileId, comparison }: { fileId: string; comparison: Comparison }) {
  const { unreadable, sentRows, resultRows, differing, rows } = comparison;
  return (
    <>
      {unreadable !== undefined && <Notice kind="bad" title={`The result cannot be read: ${unreadable}`} />}
      <p>
        {counted(sentRows, 'row')} sent, {resultRows} returned, {differing} {byNumber(differing, 'differs', 'differ')}.
      </p>
      <Table
        label="Rows that differ"
        rows={rows}
        empty="No row differs."
        columns={[
          { title: 'Row', isFigure: true, cell: ({ position }) => position },
          {
            title: 'Line',
            isFigure: true,
            cell: ({ line }) => line !== undefined && <PaymentLink fileId={fileId} line={line} />,
          },
          { title: 'Sent: invoice', cell: ({ sent }) => sent?.invoice },
          { title: 'Sent: total', isFigure: true, cell: ({ sent }) => sent && groupDigits(sent.total) },
          { title: 'Sent: payer', cell: ({ sent }) => sent?.payer },
          { title: 'So', cell: differenceOf },
          { title: 'Back: invoice', cell: (row) => sideOf(row)?.invoice ?? cellsOf(row) },
          {
            title: 'Back: total',
            isFigure: true,
            cell: (row) => groupDigits(sideOf(row)?.total ?? ''),
          },
          { title: 'Back: payer', cell: (row) => sideOf(row)?.payer },
          { title: 'Message', cell: ({ result }) => <span class="wide">{result?.message}</span> },
        ]}
      />
    </>
  );
}

function differenceOf({ isSame, sent, result }: ComparedRow): string {
  if (isSame) return 'the same';
  if (!result) return 'not in the result';
  return sent ? 'differs' : 'was not sent';
}

function sideOf({ result }: ComparedRow): ShownSide | undefined {
  return result && !('cells' in result) ? result : undefined;
}

function cellsOf({ result }: ComparedRow): string {
  return result && 'cells' in result ? `${counted(result.cells, 'cell')} of another layout` : '';
}
