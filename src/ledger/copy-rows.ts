import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import copyStreams from 'pg-copy-streams';
import type { Fault, ReconciledRow } from '../kernel/rows.ts';
import { storableText } from './storable-text.ts';
import type { Transaction } from './transaction.ts';

/** A row as the ledger keeps it: `batchNo` null for a row that is withheld. */
export type NewRow = {
  line: number;
  batchNo: number | null;
  invoice: string;
  customerCode: string;
  amountCents: number | null;
  lastFour: string;
  fingerprint: Buffer | null;
};

/** Rows go in by COPY: single inserts would take many times as long, and a file may have a million. */
export async function copyRows(tx: Transaction, fileNo: number, rows: readonly NewRow[]): Promise<void> {
  await copy(
    tx,
    'payment_row (file_no, line, batch_no, invoice, customer_code, amount_cents, last_four, fingerprint)',
    rows.map((row) => [
      fileNo,
      row.line,
      row.batchNo,
      row.invoice,
      row.customerCode,
      row.amountCents,
      row.lastFour,
      row.fingerprint && `\\x${row.fingerprint.toString('hex')}`,
    ]),
  );
}

/** @param firstSeq number of the first of these faults within the file, counted from 1 */
export async function copyFaults(
  tx: Transaction,
  fileNo: number,
  firstSeq: number,
  faults: readonly Fault[],
): Promise<void> {
  await copy(
    tx,
    'row_fault (file_no, seq, line, column_name, code, detail, value)',
    faults.map((fault, index) => [
      fileNo,
      firstSeq + index,
      fault.line,
      fault.column ?? null,
      fault.code,
      fault.detail ?? null,
      fault.value ?? null,
    ]),
  );
}

export async function copyOutcomes(tx: Transaction, fileNo: number, rows: readonly ReconciledRow[]): Promise<void> {
  await copy(
    tx,
    'row_outcome (file_no, line, outcome, code, message, "authorization")',
    rows.map((row) => [fileNo, row.line, row.outcome, row.code, row.message, row.authorization]),
  );
}

type Cell = string | number | null;

async function copy(tx: Transaction, target: string, rows: readonly Cell[][]): Promise<void> {
  if (rows.length === 0) return;
  const text = rows.map((row) => `${row.map(copyText).join('\t')}\n`).join('');
  await pipeline(Readable.from([text]), tx.client.query(copyStreams.from(`COPY ${target} FROM STDIN`)));
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** COPY's text format: backslash escapes, \N for null. */
function copyText(cell: Cell): string {
  if (cell === null) return '\\N';
  return storableText(String(cell)).replace(/[\\\t\n\r]/g, (character) => ESCAPES[character]!);
}
