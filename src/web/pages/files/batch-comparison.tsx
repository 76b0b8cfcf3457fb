import { byNumber, counted } from '../../../kernel/counted.ts';
import type { Comparison } from '../../../explain/compare-batch.ts';
import type { ComparedRow, ShownSide } from '../../../reconcile/compare-rows.ts';
import { Notice, Table } from '../../parts/blocks.tsx';
import { groupDigits } from '../../parts/words.tsx';

/** Shows differing rows side by side: what was sent and what the service returned. */
export function BatchComparison({ comparison }: { comparison: Comparison }) {
  const { unreadable, sentRows, resultRows, differing, rows } = comparison;
  return (
    <>
      {unreadable !== undefined && <Notice kind="bad" title={`The result cannot be read: ${unreadable}`} />}
      <p>
        {counted(sentRows, 'row')} sent, {resultRows} came back, {differing} {byNumber(differing, 'differs', 'differ')}.
      </p>
      <Table
        label="Rows that differ"
        rows={rows}
        empty="No row differs."
        columns={[
          { title: 'Row', isFigure: true, cell: ({ position }) => position },
          { title: 'Line', isFigure: true, cell: ({ line }) => line },
          { title: 'Sent: invoice', cell: ({ sent }) => sent?.invoice },
          { title: 'Sent: total', isFigure: true, cell: ({ sent }) => sent && groupDigits(sent.total) },
          { title: 'Sent: payer', cell: ({ sent }) => sent?.payer },
          { title: 'So', cell: differenceOf },
          { title: 'Back: invoice', cell: (row) => sideOf(row)?.invoice ?? cellsOf(row) },
          {
            title: 'Back: total',
            isFigure: true,
            cell: (row) => {
              const side = sideOf(row);
              return side && groupDigits(side.total);
            },
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
  if (!result) return 'did not come back';
  return sent ? 'differs' : 'was not sent';
}

function sideOf({ result }: ComparedRow): ShownSide | undefined {
  return result && !('cells' in result) ? result : undefined;
}

function cellsOf({ result }: ComparedRow): string {
  return result && 'cells' in result ? `${counted(result.cells, 'cell')} of another layout` : '';
}
