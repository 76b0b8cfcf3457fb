import type { ColumnName } from '../../schemas/columns.ts';
import { columnsOf, type LayoutName } from '../../schemas/layouts.ts';
import { endsAlike, maskText } from '../kernel/mask.ts';
import { formatCents, parseAmount } from '../kernel/money.ts';
import type { RowResult, SentRow } from '../kernel/rows.ts';

/** Where the two sides differ, for the person who has to look. Holds last fours at most. */
export type Difference = { position: number; line: number | null; sent: string; result: string };

export type Match =
  | { kind: 'matched'; pairs: readonly { sent: SentRow; result: RowResult }[]; reordered: boolean }
  | { kind: 'mismatch'; reason: string; differences: readonly Difference[] };

/** As many differences as a person reads; the rest is counted in the reason. */
const SHOWN = 20;

/**
 * Matches a result file with the rows that were sent (control total H6). The n-th result must carry the n-th invoice,
 * amount and last four or customer code. When only the order differs, rows are matched by these three, provided they
 * name each row uniquely; two equal rows in another order cannot be told apart, and guessing would swap outcomes.
 */
export function matchResults(layout: LayoutName, sent: readonly SentRow[], results: readonly RowResult[]): Match {
  const read = resultReader(layout);
  if (sent.length === results.length && sent.every((row, index) => isSame(row, read(results[index]!)))) {
    return {
      kind: 'matched',
      pairs: sent.map((row, index) => ({ sent: row, result: results[index]! })),
      reordered: false,
    };
  }
  return matchByIdentity(sent, results, read) ?? mismatch(sent, results, read);
}

/** The identity of a result row, or undefined where its cells are not those of the layout. */
type Identity = { invoice: string; customerCode: string; cents: number; number: string } | undefined;

function resultReader(layout: LayoutName): (result: RowResult) => Identity {
  const columns = columnsOf(layout);
  const at = (column: ColumnName) => columns.indexOf(column);
  const invoice = at('invoice');
  const code = at('customerCode');
  const amount = at('amount');
  const number = Math.max(at('cardNumber'), at('accountNumber'));
  return ({ cells }) => {
    if (cells.length !== columns.length) return undefined;
    const cents = parseAmount(cells[amount]!.trim());
    if (typeof cents !== 'number') return undefined;
    return {
      invoice: cells[invoice]!.trim(),
      customerCode: code < 0 ? '' : cells[code]!.trim(),
      cents,
      number: number < 0 ? '' : cells[number]!.trim(),
    };
  };
}

function isSame(sent: SentRow, result: Identity): boolean {
  return (
    result !== undefined &&
    result.invoice === sent.invoice &&
    result.cents === sent.amountCents &&
    result.customerCode === sent.customerCode &&
    (sent.lastFour === '' ? result.number === '' : endsAlike(result.number, sent.lastFour))
  );
}

function matchByIdentity(
  sent: readonly SentRow[],
  results: readonly RowResult[],
  read: (result: RowResult) => Identity,
): Match | undefined {
  if (sent.length !== results.length) return undefined;
  const byKey = new Map<string, SentRow>();
  for (const row of sent) byKey.set(keyOf(row.invoice, row.amountCents, row.customerCode), row);
  const resultOf = new Map<SentRow, RowResult>();
  for (const result of results) {
    const identity = read(result);
    const row = identity && byKey.get(keyOf(identity.invoice, identity.cents, identity.customerCode));
    if (!row || !isSame(row, identity)) return undefined;
    resultOf.set(row, result);
  }
  // Fewer when a result came twice, or when sent rows share invoice, amount and code: they would be told apart by four
  // digits at most, which is not enough to move money by.
  if (resultOf.size !== sent.length) return undefined;
  return { kind: 'matched', pairs: sent.map((row) => ({ sent: row, result: resultOf.get(row)! })), reordered: true };
}

function keyOf(invoice: string, cents: number, customerCode: string): string {
  return JSON.stringify([invoice, cents, customerCode]);
}

function mismatch(
  sent: readonly SentRow[],
  results: readonly RowResult[],
  read: (result: RowResult) => Identity,
): Match {
  const differences: Difference[] = [];
  let count = 0;
  for (let index = 0; index < Math.max(sent.length, results.length); index++) {
    const row = sent[index];
    const identity = results[index] && read(results[index]!);
    if (row && isSame(row, identity)) continue;
    count++;
    if (differences.length < SHOWN) {
      differences.push({
        position: index + 1,
        line: row?.line ?? null,
        sent: row ? describe(row.invoice, row.amountCents, row.customerCode, row.lastFour) : 'nothing',
        result: describeResult(results[index], identity, row),
      });
    }
  }
  const reason = `${results.length} result rows for ${sent.length} sent rows, ${count} of them differ`;
  return { kind: 'mismatch', reason, differences };
}

function describe(invoice: string, cents: number, customerCode: string, lastFour: string): string {
  const payer = customerCode ? `code ${customerCode}` : `number ending ${lastFour}`;
  return `invoice ${invoice}, ${formatCents(cents)}, ${payer}`;
}

/** A foreign row may hold its number in any cell, so its texts are shown in full only where we sent the same. */
function describeResult(result: RowResult | undefined, identity: Identity, sent: SentRow | undefined): string {
  if (!result) return 'nothing';
  if (!identity) return `${result.cells.length} cells that are not of this layout`;
  const { invoice, customerCode, cents, number } = identity;
  return describe(
    invoice === sent?.invoice ? invoice : maskText(invoice),
    cents,
    customerCode === sent?.customerCode ? customerCode : maskText(customerCode),
    endOf(number),
  );
}

/** Of a short number four digits would be most of it, and the service may have left it unmasked. */
function endOf(number: string): string {
  return number.slice(number.length < 8 ? -2 : -4);
}
