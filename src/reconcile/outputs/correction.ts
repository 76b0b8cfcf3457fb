import { OUTCOMES, type Outcome } from '../../../schemas/lifecycle.ts';
import { formatCents } from '../../kernel/money.ts';
import type { OutcomeTotals } from '../../rows/rows.ts';
import type { ControlTotal } from '../control-totals.ts';

/** The summary of a correction. The file's own summary is not rewritten; this one stands beside it. */
export type CorrectionSummary = {
  file: { fileId: string; name: string; account: string; operation: string };
  correctionNo: number;
  /** In the account's time zone. */
  changedAt: string;
  evidence: string;
  changes: { before: string; after: string; rows: number; cents: number }[];
  /** Outcomes of the whole file after this correction. */
  outcomes: OutcomeTotals;
  controlTotals: readonly ControlTotal[];
};

/** Returns the summary for programs. Amounts are decimal text, as in all output. */
export function correctionJson(summary: CorrectionSummary): string {
  const body = {
    ...summary,
    changes: summary.changes.map(({ before, after, rows, cents }) => ({
      before: labelOf(before),
      after: labelOf(after),
      rows,
      total: formatCents(cents),
    })),
    outcomes: Object.fromEntries(
      outcomeLines(summary.outcomes).map(([outcome, total]) => [
        labelOf(outcome),
        { rows: total.rows, total: formatCents(total.cents) },
      ]),
    ),
  };
  return `${JSON.stringify(body, null, 2)}\n`;
}

/** Returns the same as text for users. */
export function correctionText(summary: CorrectionSummary): string {
  const { file, correctionNo } = summary;
  const lines = [
    `${file.name}, correction ${correctionNo}`,
    `File ${file.fileId}, account ${file.account}, ${file.operation}, changed ${summary.changedAt}`,
    summary.evidence,
    '',
    'Change                                Rows             Total',
    ...summary.changes.map(({ before, after, rows, cents }) =>
      figures(`${labelOf(before)} -> ${labelOf(after)}`, 34, rows, cents),
    ),
    '',
    'Outcomes of the file after it         Rows             Total',
    ...outcomeLines(summary.outcomes).map(([outcome, total]) => figures(labelOf(outcome), 34, total.rows, total.cents)),
    '',
    'Control totals',
    ...summary.controlTotals.map((total) => `${total.holds ? 'ok ' : 'NO '} ${total.id}  ${total.says}`),
  ];
  return `${lines.join('\n')}\n`;
}

function labelOf(outcome: string): string {
  return OUTCOMES[outcome as Outcome].label;
}

/** Lists outcomes in table order, so that the same correction always reads the same. */
function outcomeLines(totals: OutcomeTotals): [Outcome, { rows: number; cents: number }][] {
  const names = Object.keys(OUTCOMES) as Outcome[];
  return names.flatMap((name) => (totals[name] ? [[name, totals[name]]] : []));
}

function figures(label: string, width: number, rows: number, cents: number): string {
  return `${label.padEnd(width)}${String(rows).padStart(8)}${formatCents(cents).padStart(18)}`;
}
