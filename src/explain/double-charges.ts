import { saidOutcome, saidState } from '../../schemas/shown.ts';
import { byNumber, counted } from '../kernel/counted.ts';
import { formatCents } from '../kernel/money.ts';
import { formatInZone } from '../calendar/zone-time.ts';
import type { DoubleCharge, DoubleRow, PaidBatch } from '../ledger/duplicates/read-double-charges.ts';
import { whoDid } from './why/sentence.ts';

/** Says in one clause why a batch waits: how many rows, and the evidence of the first. */
export function sayPaid({ first, matches }: Pick<PaidBatch, 'first' | 'matches'>, timeZone: string): string {
  const rows = counted(matches, 'row');
  if (!first) return `${rows} may have been charged meanwhile`;
  const more = matches > 1 ? `; ${matches - 1} more` : '';
  return `${rows} may have been charged meanwhile: ${sayPair(first, timeZone)}${more}`;
}

/** Says which two rows may be one payment, and what is known of the second of them. */
export function sayPair({ row, other, isSame, source }: DoubleCharge, timeZone: string): string {
  const like = isSame ? 'is' : 'is like';
  return `line ${row.line} ${like} ${placeOf(other)}, ${standingOf(other, timeZone)} (${source})`;
}

/** Says the same of two rows that were both charged, with how each stands. */
export function sayTwice(pair: DoubleCharge, timeZone: string): string {
  const { row, other, isSame, source } = pair;
  const words = [
    `${placeOf(row)}, ${standingOf(row, timeZone)}, and ${placeOf(other)}, ${standingOf(other, timeZone)}, ${isSame ? 'are' : 'may be'} one payment (${source})`,
  ];
  const by = approverOf(pair);
  if (by !== null) words.push(`${whoDid(by)} approved that`);
  return words.join('; ');
}

/** Returns who approved the second payment: the person who released its batch, or who approved its file. */
export function approverOf({ row, releasedBy }: DoubleCharge): string | null {
  return releasedBy ?? row.approvedBy;
}

function placeOf({ name, fileId, batchNo, line, invoice, cents }: DoubleRow): string {
  const what = [...(invoice ? [`invoice ${invoice}`] : []), ...(cents === null ? [] : [formatCents(cents)])].join(', ');
  return `line ${line} of ${name} (${fileId}/${batchNo}${what === '' ? '' : `: ${what}`})`;
}

function standingOf({ outcome, state, since }: DoubleRow, timeZone: string): string {
  return `${outcome === null ? saidState(state) : saidOutcome(outcome)} since ${formatInZone(since, timeZone)}`;
}

/** Columns of a list of pairs, for plans and pages. */
export const PAIR_TITLES = [
  'Row',
  'Invoice',
  'Amount',
  'Other row',
  'Its invoice',
  'Its amount',
  'It is',
  'Since',
  'Known from',
];

/** Returns the cells of a pair, in the order of these titles. */
export function pairCells({ row, other, source }: DoubleCharge, timeZone: string): string[] {
  return [
    `Line ${row.line}`,
    ...moneyOf(row),
    `Line ${other.line} of ${other.name} (file ${other.fileId})`,
    ...moneyOf(other),
    other.outcome === null ? saidState(other.state) : saidOutcome(other.outcome),
    formatInZone(other.since, timeZone),
    source,
  ];
}

function moneyOf({ invoice, cents }: DoubleRow): string[] {
  return [invoice ?? '', cents === null ? '' : formatCents(cents)];
}

/** Says how many payments may have been made twice. */
export function countTwice(pairs: number): string {
  return `${counted(pairs, 'payment')} of it ${byNumber(pairs, 'was', 'were')} perhaps made twice`;
}
