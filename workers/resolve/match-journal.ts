import type { SentOutcome } from '../../schemas/lifecycle.ts';
import { hideWholeNumbers } from '../../src/gateway/reports/hide-whole-numbers.ts';
import type { JournalLine } from '../../src/gateway/reports/report-answers.ts';
import { groupBy } from '../../src/kernel/group-by.ts';
import type { RowFinding, SentRow } from '../../src/kernel/rows.ts';
import { keptMessage } from '../../src/reconcile/kept-message.ts';

/** Rows of other batches of the account that were sent and may be what a line shows. */
export type OtherRow = Omit<SentRow, 'line'> & { name: string };

const HOUR_MS = 3_600_000;

/** Clocks differ; a payment booked longer before the call is another one. */
const BEFORE_MS = HOUR_MS;
/** A bank payment gets the time of the bank's answer, days after it was taken. */
const AFTER_MS = 14 * 24 * HOUR_MS;

/**
 * What a report says of each row: shown, lacking, or not to be told. To take a row for shown it must be certain: invoice,
 * amount, and the end of the number or the customer code agree, and there are as many such lines as such rows. To take it
 * for lacking it must be just as certain the other way: no line since the call has that invoice, however it is written.
 * Whatever lies between is ambiguous, and leaves the row in doubt.
 */
export function matchJournal(
  rows: readonly SentRow[],
  lines: readonly JournalLine[],
  { calledAt, others }: { calledAt: Date; others: readonly OtherRow[] },
): RowFinding[] {
  const possible = lines.filter((line) => isSince(line, calledAt));
  const byInvoice = groupBy(possible, (line) => looseInvoice(line.invoice));
  const alike = groupBy(rows, identityOf);
  const exactOf = new Map<string, readonly JournalLine[]>();
  for (const [identity, [row]] of alike) {
    const near = byInvoice.get(looseInvoice(row!.invoice)) ?? [];
    exactOf.set(
      identity,
      near.filter((line) => isSamePayment(row!, line) && isInTime(line, calledAt)),
    );
  }
  const explained = new Set([...exactOf.values()].flat());
  return rows.map((row) => {
    const near = byInvoice.get(looseInvoice(row.invoice)) ?? [];
    const group = alike.get(identityOf(row))!;
    const exact = exactOf.get(identityOf(row))!;
    const other = others.find((one) => identityOf(one) === identityOf(row));
    return judgeRow(row, { near, exact, explained, group, other });
  });
}

type Sides = {
  near: readonly JournalLine[];
  exact: readonly JournalLine[];
  explained: ReadonlySet<JournalLine>;
  group: readonly SentRow[];
  other: OtherRow | undefined;
};

function judgeRow(row: SentRow, { near, exact, explained, group, other }: Sides): RowFinding {
  if (exact.length === 0) {
    if (near.every((line) => explained.has(line))) return finding(row, 'absent');
    return ambiguous(row, 'the report shows its invoice with another amount, payer or time, or without the payer');
  }
  if (other) return ambiguous(row, `the report shows it once, and file ${other.name} holds the same payment`);
  if (exact.length !== group.length)
    return ambiguous(row, `the report shows ${exact.length} such payments, and ${group.length} were sent`);
  const [line] = exact;
  const outcome = line && outcomeOf(line);
  if (!line || !outcome) return ambiguous(row, 'the report does not say what became of it');
  if (exact.some((one) => one.result !== line.result))
    return ambiguous(row, 'the report shows such payments with different ends');
  // Of rows that are the same in everything each takes one line; which one makes no difference.
  return shown(row, exact[group.indexOf(row)]!, outcome);
}

/** A line whose time cannot be read may be of any time. */
function isSince({ at }: JournalLine, calledAt: Date): boolean {
  return at.utc === null || Date.parse(at.utc) >= calledAt.getTime() - BEFORE_MS;
}

function isInTime({ at }: JournalLine, calledAt: Date): boolean {
  return at.utc !== null && Date.parse(at.utc) <= calledAt.getTime() + AFTER_MS;
}

function isSamePayment(row: SentRow, line: JournalLine): boolean {
  if (line.invoice !== hideWholeNumbers(row.invoice) || line.amountCents !== row.amountCents) return false;
  if (line.customerCode !== row.customerCode) return false;
  // Reports of a range show no numbers; then nothing tells one payer from another.
  return row.customerCode !== '' || (row.lastFour !== '' && line.lastFour.endsWith(row.lastFour));
}

function outcomeOf({ outcome }: JournalLine): SentOutcome | undefined {
  switch (outcome) {
    case 'approved':
      return 'approved';
    case 'accepted':
      return 'accepted_pending';
    case 'rejected':
    case 'returned':
      return 'declined';
    case 'unknown':
      return undefined;
  }
}

function shown(row: SentRow, line: JournalLine, outcome: SentOutcome): RowFinding {
  const code = /^REJ(?:ECT)?:\s*(\d{1,4})$/.exec(line.result.trim())?.[1];
  const authorization = /^OK:\s*((?=[A-Z]*\d)[A-Z0-9]{1,20})\b/.exec(line.result.trim())?.[1];
  return {
    ...finding(row, 'found'),
    outcome,
    code: code === undefined ? null : Number(code),
    message: keptMessage(`${line.result} (from the report of the service)`),
    authorization: outcome === 'declined' ? '' : (authorization ?? ''),
    transactionId: line.transactionId.slice(0, 40),
  };
}

function ambiguous(row: SentRow, why: string): RowFinding {
  return { ...finding(row, 'ambiguous'), message: keptMessage(why) };
}

function finding({ line }: SentRow, name: RowFinding['finding']): RowFinding {
  return { line, finding: name, outcome: null, code: null, message: '', authorization: '', transactionId: '' };
}

function identityOf({ invoice, amountCents, customerCode, lastFour }: Omit<SentRow, 'line'>): string {
  return JSON.stringify([invoice, amountCents, customerCode, lastFour]);
}

/** As it is left by a spreadsheet or a system that drops blanks, zeros in front and the case of letters. */
export function looseInvoice(invoice: string): string {
  const letters = hideWholeNumbers(invoice)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
  return letters.replace(/^0+/, '');
}
