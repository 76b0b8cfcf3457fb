import type { SentOutcome } from '../../../schemas/lifecycle.ts';
import { hideWholeNumbers } from '../../gateway/reports/hide-whole-numbers.ts';
import type { JournalLine } from '../../gateway/answers.ts';
import { byNumber, counted } from '../../kernel/counted.ts';
import { groupBy } from '../../kernel/group-by.ts';
import type { RowFinding, SentRow } from '../../rows/rows.ts';
import { findSentElsewhere, type SentElsewhere } from '../../ledger/doubt/in-doubt.ts';
import { keptMessage } from '../../reconcile/kept-message.ts';
import type { ResolutionContext } from './resolution-context.ts';

const HOUR_MS = 3_600_000;

/** Allowance for clock differences; a payment booked longer before the call is a different one. */
const BEFORE_MS = HOUR_MS;
/** A bank payment gets the time of the bank's answer, days after it was taken. */
const AFTER_MS = 14 * 24 * HOUR_MS;

/**
 * Decides what a report says about each row: found, absent or ambiguous.
 * - Found requires the same invoice, amount and customer code (without a code, the end of the number) at a fitting
 *   time. There must be as many such lines as rows.
 * - Absent requires that no line of any time has the invoice in any spelling, except lines that show another payment of
 *   ours. Clocks may have been wrong, so time excludes no line here.
 * - Everything between is ambiguous, and leaves the row in doubt.
 * @param others what other batches of the account sent with these invoices or those of the lines
 */
export function matchJournal(
  rows: readonly SentRow[],
  lines: readonly JournalLine[],
  { calledAt, others }: { calledAt: Date; others: readonly SentElsewhere[] },
): RowFinding[] {
  const ofOthers = findExplained(lines, others);
  const possible = lines.filter((line) => !ofOthers.has(line));
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
  const judge = (row: SentRow, explained: ReadonlySet<JournalLine>) => {
    const near = byInvoice.get(looseInvoice(row.invoice)) ?? [];
    const group = alike.get(identityOf(row))!;
    const exact = exactOf.get(identityOf(row))!;
    const other = others.find((one) => identityOf(one) === identityOf(row) && exact.some((line) => maybeOf(one, line)));
    return judgeRow(row, { near, exact, explained, group, other });
  };
  // A line that shows one row of the batch shows no other. Ambiguous rows claim no line.
  const shownRows = rows.filter((row) => judge(row, new Set()).finding === 'found');
  const explained = new Set(shownRows.flatMap((row) => exactOf.get(identityOf(row))!));
  return rows.map((row) => judge(row, explained));
}

type Sides = {
  near: readonly JournalLine[];
  exact: readonly JournalLine[];
  explained: ReadonlySet<JournalLine>;
  group: readonly SentRow[];
  other: SentElsewhere | undefined;
};

function judgeRow(row: SentRow, { near, exact, explained, group, other }: Sides): RowFinding {
  if (exact.length === 0) {
    if (near.every((line) => explained.has(line))) return finding(row, 'absent');
    return ambiguous(row, 'the report shows its invoice with another amount, payer or time, or without the payer');
  }
  if (other) return ambiguous(row, `the report shows it once, and file ${other.name} holds the same payment`);
  if (exact.length !== group.length)
    return ambiguous(
      row,
      `the report shows ${counted(exact.length, 'such payment')}, and ${group.length} ${byNumber(group.length, 'was', 'were')} sent`,
    );
  const [line] = exact;
  const outcome = line && outcomeOf(line);
  if (!line || !outcome) return ambiguous(row, 'the report does not show its outcome');
  if (exact.some((one) => one.result !== line.result))
    return ambiguous(row, 'the report shows such payments with different outcomes');
  // Identical rows take one line each; which one makes no difference.
  return shown(row, exact[group.indexOf(row)]!, outcome);
}

/** Finds lines that show payments of other batches, each identified by the authorization of its charge. */
function findExplained(lines: readonly JournalLine[], others: readonly SentElsewhere[]): ReadonlySet<JournalLine> {
  const byInvoice = groupBy(lines, (line) => line.invoice);
  const explained = others.flatMap((other) => {
    const own = (byInvoice.get(hideWholeNumbers(other.invoice)) ?? []).filter(
      (line) =>
        line.amountCents === other.amountCents &&
        other.authorization !== '' &&
        authorizationOf(line) === other.authorization,
    );
    return own.length === 1 ? own : [];
  });
  return new Set(explained);
}

/** Returns whether the line may show the payment of another batch: nothing known about that payment contradicts it. */
function maybeOf({ authorization }: SentElsewhere, line: JournalLine): boolean {
  const shown = authorizationOf(line);
  return authorization === '' || shown === '' || authorization === shown;
}

function isInTime({ at }: JournalLine, calledAt: Date): boolean {
  if (at.utc === null) return false;
  const sinceMs = Date.parse(at.utc) - calledAt.getTime();
  return sinceMs >= -BEFORE_MS && sinceMs <= AFTER_MS;
}

function isSamePayment(row: SentRow, line: JournalLine): boolean {
  if (line.invoice !== hideWholeNumbers(row.invoice) || line.amountCents !== row.amountCents) return false;
  if (line.customerCode !== row.customerCode) return false;
  // Date range reports show no numbers; then only a customer code identifies a payer.
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
  return {
    ...finding(row, 'found'),
    outcome,
    code: code === undefined ? null : Number(code),
    message: keptMessage(`${line.result} (from the report of the service)`),
    authorization: outcome === 'declined' ? '' : authorizationOf(line),
    transactionId: line.transactionId.slice(0, 40),
  };
}

function authorizationOf({ result }: JournalLine): string {
  return /^OK:\s*((?=[A-Z]*\d)[A-Z0-9]{1,20})\b/.exec(result.trim())?.[1] ?? '';
}

function ambiguous(row: SentRow, why: string): RowFinding {
  return { ...finding(row, 'ambiguous'), message: keptMessage(why) };
}

function finding({ line }: SentRow, name: RowFinding['finding']): RowFinding {
  return { line, finding: name, outcome: null, code: null, message: '', authorization: '', transactionId: '' };
}

function identityOf({ invoice, amountCents, customerCode, lastFour }: Omit<SentRow, 'line'> | SentElsewhere): string {
  return JSON.stringify([invoice, amountCents, customerCode, lastFour]);
}

/** Normalizes an invoice, as spreadsheets and systems drop blanks, leading zeros and case. */
export function looseInvoice(invoice: string): string {
  const letters = hideWholeNumbers(invoice)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
  return letters.replace(/^0+/, '');
}

/**
 * Returns what the lines of a report say about each row of a batch, given everything else that the account has sent.
 * @param sent all rows of the batch: one row explains lines that could be mistaken for another
 */
export async function findInReport(
  { ledger, batch }: Pick<ResolutionContext, 'ledger' | 'batch'>,
  sent: readonly SentRow[],
  lines: readonly JournalLine[],
  calledAt: Date,
): Promise<RowFinding[]> {
  const loose = new Set(sent.map((row) => looseInvoice(row.invoice)));
  const near = lines.filter((line) => loose.has(looseInvoice(line.invoice)));
  const invoices = new Set([...sent, ...near].map(({ invoice }) => invoice));
  const others = await findSentElsewhere(ledger, batch, [...invoices]);
  return matchJournal(sent, near, { calledAt, others });
}
