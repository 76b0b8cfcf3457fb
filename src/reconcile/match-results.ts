import type { LayoutName } from '../../schemas/layouts.ts';
import { byNumber, counted } from '../kernel/counted.ts';
import type { RowResult, SentRow } from '../rows/rows.ts';
import {
  type ComparedRow,
  compareRows,
  type Identity,
  identityReader,
  isSameRow,
  type ShownSide,
} from './compare-rows.ts';

/** A difference between the two sides, for the person who checks it. Shows last four digits at most. */
export type Difference = { position: number; line: number | null; sent: string; result: string };

export type Match =
  | { kind: 'matched'; pairs: readonly { sent: SentRow; result: RowResult }[]; reordered: boolean }
  | { kind: 'mismatch'; reason: string; differences: readonly Difference[] };

/** As many differences as a person reads; the reason counts them all. */
const SHOWN = 20;

/**
 * Matches a result file with the sent rows (control total H6). The n-th result must carry the n-th invoice, amount and
 * last four digits or customer code. If only the order differs, rows match by the same values. Invoice, amount and
 * customer code must then identify each row: guessing between equal rows would swap outcomes.
 */
export function matchResults(layout: LayoutName, sent: readonly SentRow[], results: readonly RowResult[]): Match {
  const read = identityReader(layout);
  if (sent.length === results.length && sent.every((row, index) => isSameRow(row, read(results[index]!)))) {
    return {
      kind: 'matched',
      pairs: sent.map((row, index) => ({ sent: row, result: results[index]! })),
      reordered: false,
    };
  }
  return matchByIdentity(sent, results, read) ?? mismatch(layout, sent, results);
}

function matchByIdentity(
  sent: readonly SentRow[],
  results: readonly RowResult[],
  read: (result: RowResult) => Identity | undefined,
): Match | undefined {
  if (sent.length !== results.length) return undefined;
  const byKey = new Map<string, SentRow>();
  for (const row of sent) byKey.set(keyOf(row.invoice, row.amountCents, row.customerCode), row);
  const resultOf = new Map<SentRow, RowResult>();
  for (const result of results) {
    const identity = read(result);
    const row = identity && byKey.get(keyOf(identity.invoice, identity.cents, identity.customerCode));
    if (!row || !isSameRow(row, identity)) return undefined;
    resultOf.set(row, result);
  }
  // Fewer when a result came twice, or sent rows share invoice, amount and code. These differ by four digits at most,
  // which is not enough to move money by.
  if (resultOf.size !== sent.length) return undefined;
  return { kind: 'matched', pairs: sent.map((row) => ({ sent: row, result: resultOf.get(row)! })), reordered: true };
}

function keyOf(invoice: string, cents: number, customerCode: string): string {
  return JSON.stringify([invoice, cents, customerCode]);
}

function mismatch(layout: LayoutName, sent: readonly SentRow[], results: readonly RowResult[]): Match {
  const differing = compareRows(layout, sent, results).filter((row) => !row.isSame);
  const reason = `${counted(results.length, 'result row')} for ${counted(sent.length, 'sent row')}, ${differing.length} of them ${byNumber(differing.length, 'differs', 'differ')}`;
  return { kind: 'mismatch', reason, differences: differing.slice(0, SHOWN).map(toDifference) };
}

function toDifference({ position, line, sent, result }: ComparedRow): Difference {
  return {
    position,
    line: line ?? null,
    sent: sent ? describe(sent) : 'nothing',
    result: describeResult(result),
  };
}

function describeResult(result: ComparedRow['result']): string {
  if (!result) return 'nothing';
  return 'cells' in result
    ? `${counted(result.cells, 'cell')} that ${byNumber(result.cells, 'is', 'are')} not of this layout`
    : describe(result);
}

function describe({ invoice, total, payer }: ShownSide): string {
  return `invoice ${invoice}, ${total}, ${payer}`;
}
