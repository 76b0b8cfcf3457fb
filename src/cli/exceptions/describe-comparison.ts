import { byNumber, counted } from '../../kernel/counted.ts';
import type { ComparedRow, ShownSide } from '../../reconcile/compare-rows.ts';
import type { Comparison } from '../../explain/compare-batch.ts';
import { textTable } from '../print/table.ts';

/** Compares side by side like `diff -y`: `|` between rows that differ, `<` and `>` where one side has none. */
export function describeComparison(comparison: Comparison): string {
  const { batch, name, state, batchId, reason, unreadable, sentRows, resultRows, differing, rows } = comparison;
  const head = [
    `Batch ${batch} of ${name}, batch id ${batchId ?? '-'}, ${state}`,
    ...(state === 'exception' && reason ? [reason] : []),
    ...(unreadable ? [`The result cannot be read: ${unreadable}`] : []),
    `${counted(sentRows, 'row')} sent, ${resultRows} came back, ${differing} ${byNumber(differing, 'differs', 'differ')}.`,
  ];
  if (rows.length === 0) return head.join('\n');
  const titles = ['Row', 'Line', 'Sent', 'Total', 'Payer', '', 'Came back', 'Total', 'Payer', 'Message'];
  return `${head.join('\n')}\n\n${textTable(titles, rows.map(cellsOf), [0, 1, 3, 7])}`;
}

function cellsOf({ position, line, isSame, sent, result }: ComparedRow): string[] {
  const sign = isSame ? '' : !result ? '<' : !sent ? '>' : '|';
  return [
    String(position),
    line === undefined ? '' : String(line),
    ...sideOf(sent),
    sign,
    ...(result && 'cells' in result ? [`${counted(result.cells, 'cell')} of another layout`, '', ''] : sideOf(result)),
    result?.message ?? '',
  ];
}

function sideOf(side: ShownSide | undefined): [string, string, string] {
  return side ? [side.invoice, side.total, side.payer] : ['', '', ''];
}
