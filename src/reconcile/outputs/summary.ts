import { OUTCOMES, type Completeness, type Outcome } from '../../../schemas/lifecycle.ts';
import { counted } from '../../kernel/counted.ts';
import { formatCents } from '../../kernel/money.ts';
import type { OutcomeTotals } from '../../rows/rows.ts';
import type { ControlTotal } from '../control-totals.ts';

export type Summary = {
  file: {
    fileId: string;
    name: string;
    account: string;
    operation: string;
    layout: string | null;
    sha256: string;
    bytes: number;
    completeness: Completeness;
    claimedAt: string;
  };
  controlTotals: ControlTotal[];
  outcomes: OutcomeTotals;
  batches: {
    batchNo: number;
    batchId: string | null;
    state: string;
    attempt: number;
    rows: number;
    cents: number;
    sentAt: string;
    resultAt: string;
  }[];
  outputs: { kind: string; name: string; sha256: string; rows: number }[];
  openItems: string[];
};

/** Returns the summary for programs. Amounts are decimal text, as in all output. */
export function summaryJson(summary: Summary): string {
  const body = {
    ...summary,
    outcomes: Object.fromEntries(
      outcomeLines(summary.outcomes).map(([outcome, total]) => [
        OUTCOMES[outcome].label,
        { rows: total.rows, total: formatCents(total.cents) },
      ]),
    ),
    batches: summary.batches.map(({ cents, ...batch }) => ({ ...batch, total: formatCents(cents) })),
  };
  return `${JSON.stringify(body, null, 2)}\n`;
}

/** Returns the same as text for users. */
export function summaryText(summary: Summary): string {
  const { file } = summary;
  const lines = [
    file.name,
    `File ${file.fileId}, account ${file.account}, ${file.operation}, taken ${file.claimedAt}`,
    '',
    'Outcome             Rows             Total  It means',
    ...outcomeLines(summary.outcomes).map(([outcome, total]) => figures(outcome, total.rows, total.cents)),
    '',
    'Control totals',
    ...summary.controlTotals.map((total) => `${total.holds ? 'ok ' : 'NO '} ${total.id}  ${total.says}`),
    '',
    'Batches',
    ...summary.batches.map(
      (batch) =>
        `${String(batch.batchNo).padStart(4)}  ${batch.batchId ?? '-'}  ${batch.state}, ${counted(batch.rows, 'row')}, ${formatCents(batch.cents)}`,
    ),
    '',
    'Files',
    ...summary.outputs.map((output) => `${output.name}  ${counted(output.rows, 'row')}  ${output.sha256}`),
    '',
    summary.openItems.length === 0 ? 'Nothing is open.' : ['Open items', ...summary.openItems].join('\n'),
  ];
  return `${lines.join('\n')}\n`;
}

/** Lists outcomes in table order, so that the same file always reads the same. */
function outcomeLines(totals: OutcomeTotals): [Outcome, { rows: number; cents: number }][] {
  const names = Object.keys(OUTCOMES) as Outcome[];
  return names.flatMap((name) => (totals[name] ? [[name, totals[name]]] : []));
}

function figures(outcome: Outcome, rows: number, cents: number): string {
  const { label, means } = OUTCOMES[outcome];
  return `${label.padEnd(16)}${String(rows).padStart(8)}${formatCents(cents).padStart(18)}  ${means}`;
}
