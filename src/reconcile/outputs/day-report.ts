import { OUTCOMES, type Outcome } from '../../../schemas/lifecycle.ts';
import { counted } from '../../kernel/counted.ts';
import { formatCents } from '../../kernel/money.ts';
import type { Totals, Withheld } from '../../rows/rows.ts';
import { balanceDay, type DayTotals } from '../balance-day.ts';
import { sayWithheld } from '../say-withheld.ts';
import { type Change, nameOfChange, outcomeLines, shownChange, shownTotals } from './summary.ts';

/** The day of one account. Times are already in its zone. Money is integer cents. */
export type DayReport = Omit<DayTotals, 'accepted'> & {
  day: string;
  account: string;
  timeZone: string;
  /** A day that is not over is reported as it stands. */
  isOver: boolean;
  period?: { from: string; until: string };
  accepted: Totals & { files: number };
  openBatches: readonly {
    fileId: string;
    batchNo: number;
    name: string;
    acceptedAt: string;
    rows: number;
    cents: number;
    stateNow: string;
  }[];
  changes: readonly Change[];
  /** Rows that had faults and were not paid; no other figure includes them. */
  withheld?: Withheld;
  /** Payments that were perhaps made twice, and that nobody has looked at; at most 200. */
  paidTwice?: readonly { row: string; other: string; cents: number }[];
  /** Folders whose expected file had not arrived in time. */
  missingFiles?: readonly { folder: string; day: string; by: string }[];
};

/** Writes the reports for users: the equation H9, withheld rows, late changes, missing files, then each open batch. */
export function dayReportText(reports: readonly DayReport[]): string {
  return `${reports.map(describeDay).join('\n\n')}\n`;
}

function describeDay(report: DayReport): string {
  const difference = balanceDay(report);
  const { files } = report.accepted;
  const lines = [
    `Account ${report.account}, ${report.day} (${report.timeZone})${report.isOver ? '' : ', not over yet'}`,
    ...(report.period ? [`From ${report.period.from} until ${report.period.until}`] : []),
    '',
    `${''.padEnd(28)}${'Rows'.padStart(10)}${'Total'.padStart(20)}`,
    figures('Brought forward, open', report.broughtForward),
    figures(`Accepted, ${counted(files, 'file')}`, report.accepted),
    ...finalLines(report).map(
      ([outcome, total]) => `${figures(`- ${OUTCOMES[outcome].label}`, total)}  ${OUTCOMES[outcome].means}`,
    ),
    figures('- Still open', report.open),
    figures('Difference', difference),
  ];
  const { changes, withheld } = report;
  if (withheld && withheld.rows > 0) lines.push('', `${sayWithheld(withheld)}.`);
  const late = ['', 'Changed after they were final'];
  if (changes.length > 0) lines.push(...late, ...changes.map((sum) => figures(nameOfChange(sum), sum)));
  const twice = (report.paidTwice ?? []).map(({ row, other, cents }) => `${row} and ${other}, ${formatCents(cents)}`);
  if (twice.length > 0) lines.push('', 'Perhaps paid twice; refund one of each', ...twice);
  const missing = (report.missingFiles ?? []).map((file) => `${file.folder}, by ${file.by} on ${file.day}`);
  if (missing.length > 0) lines.push('', 'Expected files that had not come', ...missing);
  return [...lines, '', ...openLines(report)].join('\n');
}

function openLines({ open, openBatches }: DayReport): string[] {
  if (open.rows === 0) return ['Nothing is open.'];
  const listed = openBatches.reduce((sum, batch) => sum + batch.rows, 0);
  return [
    'Open at the end of the day',
    ...openBatches.map(
      (batch) =>
        `${batch.fileId}/${batch.batchNo}  ${batch.name}, ${counted(batch.rows, 'row')}, ${formatCents(batch.cents)}, accepted ${batch.acceptedAt}, now ${batch.stateNow}`,
    ),
    ...(listed < open.rows ? [`and ${counted(open.rows - listed, 'row')} in later batches`] : []),
  ];
}

/** Returns the reports for programs. Amounts are decimal text, as in all output. */
export function dayReportJson(reports: readonly DayReport[]): unknown[] {
  return reports.map((report) => ({
    day: report.day,
    account: report.account,
    timeZone: report.timeZone,
    isOver: report.isOver,
    ...(report.period && { period: report.period }),
    broughtForward: shownTotals(report.broughtForward),
    accepted: { files: report.accepted.files, ...shownTotals(report.accepted) },
    final: Object.fromEntries(
      finalLines(report).map(([outcome, total]) => [OUTCOMES[outcome].label, shownTotals(total)]),
    ),
    open: shownTotals(report.open),
    difference: shownTotals(balanceDay(report)),
    openBatches: report.openBatches.map(({ cents, ...batch }) => ({ ...batch, total: formatCents(cents) })),
    changes: report.changes.map(shownChange),
    ...(report.withheld && {
      withheld: { ...shownTotals(report.withheld), unreadableAmounts: report.withheld.unreadable },
    }),
    paidTwice: (report.paidTwice ?? []).map(({ cents, ...pair }) => ({ ...pair, total: formatCents(cents) })),
    missingFiles: report.missingFiles ?? [],
  }));
}

export const DAY_TITLES = ['Day', 'Account', 'Kind', 'Item', 'Rows', 'Total'] as const;
/** Index of the amount in the cells of a line. */
export const DAY_AMOUNT_AT = 5;

/** Returns one line for each figure, for a spreadsheet, with all that the text of the report says. */
export function dayReportCells(report: DayReport): string[][] {
  const line = (kind: string, item: string, total: Totals) => [
    report.day,
    report.account,
    kind,
    item,
    String(total.rows),
    formatCents(total.cents),
  ];
  const plain = (kind: string, item: string, rows = 0) => line(kind, item, { rows, cents: 0 });
  const { open, openBatches, withheld, period } = report;
  const later = {
    rows: open.rows - openBatches.reduce((sum, { rows }) => sum + rows, 0),
    cents: open.cents - openBatches.reduce((sum, { cents }) => sum + cents, 0),
  };
  return [
    ...(period ? [plain('PERIOD', `${period.from} to ${period.until}`)] : []),
    ...(report.isOver ? [] : [plain('NOT_OVER', 'the figures are as of now')]),
    line('BROUGHT_FORWARD', '', report.broughtForward),
    line('ACCEPTED', '', report.accepted),
    ...finalLines(report).map(([outcome, total]) => line('FINAL', OUTCOMES[outcome].label, total)),
    line('OPEN', '', report.open),
    line('DIFFERENCE', '', balanceDay(report)),
    ...report.openBatches.map((batch) => line('OPEN_BATCH', `${batch.fileId}/${batch.batchNo}`, batch)),
    ...(later.rows > 0 ? [line('OPEN_LATER', 'in later batches', later)] : []),
    ...(withheld?.rows ? [line('WITHHELD', '', withheld)] : []),
    ...(withheld?.unreadable ? [plain('UNREADABLE', 'withheld, amount unreadable', withheld.unreadable)] : []),
    ...report.changes.map((sum) => line('CHANGED', nameOfChange(sum, 'to'), sum)),
    ...(report.paidTwice ?? []).map(({ row, other, cents }) =>
      line('PERHAPS_TWICE', `${row} and ${other}`, { rows: 1, cents }),
    ),
    ...(report.missingFiles ?? []).map(({ folder, day, by }) => plain('MISSING_FILE', `${folder}, by ${by} on ${day}`)),
  ];
}

export function finalLines({ final }: Pick<DayReport, 'final'>): [Outcome, Totals][] {
  return outcomeLines(final);
}

function figures(label: string, total: Totals): string {
  return `${label.padEnd(28)}${String(total.rows).padStart(10)}${formatCents(total.cents).padStart(20)}`;
}
