import type { FolderOperation } from '../../../schemas/operations.ts';
import type { Fault, ReconciledRow } from '../../rows/rows.ts';
import { rowsOfTuples, type TupleWriter } from './tuple-writer.ts';

/**
 * Tables filled by COPY, with their columns in the order in which the functions here write them. The functions need no
 * connection, so a thread without one can encode what another sends.
 */
export const COPIED = {
  rows: 'payment_row (file_no, line, batch_no, invoice, customer_code, amount_cents, last_four)',
  fingerprints: 'row_fingerprint (volume, fingerprint, file_no, line)',
  faults: 'row_fault (file_no, seq, line, column_name, code, detail, value)',
  outcomes: 'row_outcome (file_no, line, outcome, code, message, "authorization")',
  batches:
    'batch (file_id, batch_no, account, operation, state, state_at, rows, cents, first_line, last_line, body_sha256)',
  bodies: 'sealed_part (file_id, batch_no, part, bytes)',
} as const;

/** A row as the ledger keeps it. `batchNo` is null for a withheld row. */
export type NewRow = {
  line: number;
  batchNo: number | null;
  invoice: string;
  customerCode: string;
  amountCents: number | null;
  lastFour: string;
};

export function writeRow(to: TupleWriter, fileNo: number, row: NewRow): void {
  to.begin(7);
  to.int8(fileNo);
  to.int4(row.line);
  to.int4(row.batchNo);
  to.text(row.invoice);
  to.text(row.customerCode);
  to.int8(row.amountCents);
  to.text(row.lastFour);
}

/** Writes a fingerprint of a row. The 8 bytes at `at` are a bigint as PostgreSQL sends it, big-endian. */
export function writeFingerprint(
  to: TupleWriter,
  { volume, fileNo }: { volume: number; fileNo: number },
  line: number,
  fingerprint: Uint8Array,
  at: number,
): void {
  to.begin(4);
  to.int8(volume);
  to.bytes(fingerprint, at, at + 8);
  to.int8(fileNo);
  to.int4(line);
}

/**
 * Calls `see` with the two halves of each fingerprint: the first depends on invoice and amount, the second begins with two
 * bits for the kind of payer and depends on the payer, too.
 * @param tuples what `take` returned after `writeFingerprint`
 */
export function eachFingerprint(tuples: Uint8Array, see: (first: number, second: number) => void): void {
  const rows = rowsOfTuples(tuples);
  const view = new DataView(rows.buffer, rows.byteOffset, rows.byteLength);
  for (let at = FINGERPRINT_AT; at < rows.length; at += FINGERPRINT_TUPLE)
    see(view.getUint32(at), view.getUint32(at + 4));
}

/** Bytes of a tuple of `writeFingerprint`, and where the fingerprint begins: after the number of columns and the volume. */
const FINGERPRINT_TUPLE = 2 + 3 * (4 + 8) + (4 + 4);
const FINGERPRINT_AT = 2 + (4 + 8) + 4;

/** @param seq number of the fault within the file, counted from 1 */
export function writeFault(to: TupleWriter, fileNo: number, seq: number, fault: Fault): void {
  to.begin(7);
  to.int8(fileNo);
  to.int4(seq);
  to.int4(fault.line);
  to.text(fault.column);
  to.text(fault.code);
  to.text(fault.detail);
  to.text(fault.value);
}

export function writeOutcome(to: TupleWriter, fileNo: number, row: ReconciledRow): void {
  to.begin(6);
  to.int8(fileNo);
  to.int4(row.line);
  to.text(row.outcome);
  to.int4(row.code);
  to.text(row.message);
  to.text(row.authorization);
}

export type NewBatch = {
  fileId: string;
  batchNo: number;
  account: string;
  operation: FolderOperation;
  rows: number;
  cents: number;
  /** Lines of its first and last row. No row of another batch lies between them. */
  firstLine: number;
  lastLine: number;
  bodySha256: string;
  sealedBody: Uint8Array;
};

export function writeBatch(to: TupleWriter, at: Date, batch: NewBatch): void {
  to.begin(11);
  to.text(batch.fileId);
  to.int4(batch.batchNo);
  to.text(batch.account);
  to.text(batch.operation);
  to.text('ready');
  to.time(at);
  to.int4(batch.rows);
  to.int8(batch.cents);
  to.int4(batch.firstLine);
  to.int4(batch.lastLine);
  to.text(batch.bodySha256);
}

export function writeBody(to: TupleWriter, { fileId, batchNo, sealedBody }: NewBatch): void {
  to.begin(4);
  to.text(fileId);
  to.int4(batchNo);
  to.text('body');
  to.bytes(sealedBody, 0, sealedBody.length);
}
