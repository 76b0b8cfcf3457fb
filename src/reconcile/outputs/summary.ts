import { OUTCOMES, type Completeness, type Outcome } from '../../../schemas/lifecycle.ts';
import { counted } from '../../kernel/counted.ts';
import { formatCents } from '../../kernel/money.ts';
import type { OutcomeTotals, Totals } from '../../rows/rows.ts';
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
    readBy?: ReadBy;
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

/** The version of an import profile that read a file. `hash` is the beginning of its SHA-256. */
export type ReadBy = {
  readonly profile: string;
  readonly version: number;
  readonly hash: string;
  readonly confirmedBy: string;
};

/** Returns the summary for programs. Amounts are decimal text, as in all output. */
export function summaryJson(summary: Summary): string {
  const body = {
    ...summary,
    outcomes: Object.fromEntries(
      outcomeLines(summary.outcomes).map(([name, total]) => [labelOf(name), shownTotals(total)]),
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
    ...(file.readBy ? [sayReadBy(file.readBy)] : []),
    '',
    'Outcome             Rows             Total  It means',
    ...outcomeLines(summary.outcomes).map(
      ([outcome, total]) => `${figures(labelOf(outcome), total, 16)}  ${OUTCOMES[outcome].means}`,
    ),
    '',
    'Control totals',
    ...controlLines(summary),
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

function sayReadBy({ profile, version, hash, confirmedBy }: ReadBy): string {
  return `Read with version ${version} of profile ${profile} (${hash}), confirmed by ${confirmedBy}`;
}

/** The summary of a correction. The file's own summary is not rewritten; this one stands beside it. */
export type CorrectionSummary = {
  file: { fileId: string; name: string; account: string; operation: string };
  correctionNo: number;
  changedAt: string;
  evidence: string;
  changes: Change[];
  outcomes: OutcomeTotals;
  controlTotals: readonly ControlTotal[];
};

/** Returns the summary for programs. Amounts are decimal text, as in all output. */
export function correctionJson(summary: CorrectionSummary): string {
  const body = {
    ...summary,
    changes: summary.changes.map(shownChange),
    outcomes: Object.fromEntries(
      outcomeLines(summary.outcomes).map(([name, total]) => [labelOf(name), shownTotals(total)]),
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
    ...summary.changes.map((sum) => figures(nameOfChange(sum), sum, CHANGE_WIDTH)),
    '',
    'Outcomes of the file after it         Rows             Total',
    ...outcomeLines(summary.outcomes).map(([outcome, total]) => figures(labelOf(outcome), total, CHANGE_WIDTH)),
    '',
    'Control totals',
    ...controlLines(summary),
  ];
  return `${lines.join('\n')}\n`;
}

const CHANGE_WIDTH = 34;

function controlLines({ controlTotals }: { controlTotals: readonly ControlTotal[] }): string[] {
  return controlTotals.map((total) => `${total.holds ? 'ok ' : 'NO '} ${total.id}  ${total.says}`);
}

/** Lists outcomes in table order, so that the same file or day always reads the same. */
export function outcomeLines(totals: OutcomeTotals): [Outcome, Totals][] {
  const names = Object.keys(OUTCOMES) as Outcome[];
  return names.flatMap((name) => (totals[name] ? [[name, totals[name]]] : []));
}

function figures(label: string, { rows, cents }: Totals, labelWidth: number): string {
  return `${label.padEnd(labelWidth)}${String(rows).padStart(8)}${formatCents(cents).padStart(18)}`;
}

/** Returns totals as programs read them. */
export function shownTotals({ rows, cents }: Totals): { rows: number; total: string } {
  return { rows, total: formatCents(cents) };
}

/** Rows whose outcome changed, by their outcomes before and after. */
export type Change = Totals & { readonly before: string; readonly after: string };

export function shownChange(sum: Change) {
  return { before: labelOf(sum.before), after: labelOf(sum.after), ...shownTotals(sum) };
}

export function nameOfChange({ before, after }: Change, arrow = '->'): string {
  return `${labelOf(before)} ${arrow} ${labelOf(after)}`;
}

function labelOf(outcome: string): string {
  return OUTCOMES[outcome as Outcome].label;
}
