import type { App } from '../src/app.ts';
import { canonicalBytes } from '../src/csv/canonical-bytes.ts';
import type { CheckedRow } from '../src/csv/check-payment-file.ts';
import { assertCanonical } from '../src/csv/read-canonical.ts';
import { crashPoint } from '../src/kernel/crash-point.ts';
import { sha256Of } from '../src/kernel/hash.ts';
import { lastFour } from '../src/kernel/mask.ts';
import type { Fault, PaymentRow } from '../src/kernel/rows.ts';
import { copyFaults, copyRows, type NewRow } from '../src/ledger/copy-rows.ts';
import type { FlaggedRows } from '../src/ledger/flag-charged-rows.ts';
import { cutBatch } from '../src/ledger/moves/cut-batch.ts';
import type { FileRow } from '../src/ledger/records.ts';
import type { Transaction } from '../src/ledger/transaction.ts';
import { columnsOf, layoutOf } from '../schemas/layouts.ts';
import { maskRow } from '../src/reconcile/outputs/mask-row.ts';
import { openRowSet } from '../src/vault/row-set.ts';
import { sealBytes } from '../src/vault/seal.ts';
import { fingerprintRow } from './fingerprint-row.ts';
import { openFileKey } from './open-original.ts';

/** Purpose that the seal of a batch body is bound to. */
export function bodyPurpose(batchNo: number): string {
  return `body:${batchNo}`;
}

export type RowStore = {
  add(rows: readonly CheckedRow[]): Promise<void>;
  addFaults(faults: readonly Fault[]): Promise<void>;
  /** Lets somebody else write faults of rows, from this number on. */
  flagRows(flag: (firstSeq: number) => Promise<FlaggedRows>): Promise<FlaggedRows>;
  /** @returns the mark of the valid rows; null when there are none */
  finish(): Promise<string | null>;
};

/**
 * Writes checked rows into the ledger as they come: every row and fault by COPY, every full batch sealed. Holds one
 * batch of payments at a time, so memory does not grow with the file.
 */
export function createRowStore(app: App, tx: Transaction, file: FileRow): RowStore {
  const key = openFileKey(app, file);
  const { maxRows } = app.settings.batch;
  let pending: PaymentRow[] = [];
  let batchNo = 1;
  let faultSeq = 1;
  const rowSet = openRowSet(app.fingerprint);

  const cut = async () => {
    if (pending.length === 0) return;
    const body = canonicalBytes(pending);
    const layout = layoutOf(file.operation, pending[0]!.canonical.length)!;
    assertCanonical(body, layout, pending);
    await cutBatch(tx, {
      fileId: file.file_id,
      batchNo,
      account: file.account,
      operation: file.operation,
      rows: pending.length,
      cents: pending.reduce((sum, row) => sum + row.amountCents, 0),
      bodySha256: sha256Of(body),
      sealedBody: sealBytes(key, bodyPurpose(batchNo), body),
    });
    crashPoint('intake.batch-cut');
    batchNo += 1;
    pending = [];
  };

  const addFaults = async (faults: readonly Fault[]) => {
    await copyFaults(tx, file.file_no, faultSeq, faults);
    faultSeq += faults.length;
  };

  return {
    add: async (rows) => {
      let kept: NewRow[] = [];
      const keep = async () => {
        await copyRows(tx, file.file_no, kept);
        kept = [];
      };
      for (const row of rows) {
        kept.push(row.payment ? validRow(app, file, row.payment, batchNo) : withheldRow(file, row));
        if (!row.payment) continue;
        // No cell holds a comma, so the joined text is the row's alone.
        rowSet.add(row.payment.canonical.join(','));
        pending.push(row.payment);
        if (pending.length === maxRows) await cut();
      }
      await keep();
      crashPoint('intake.rows-copied');
      await addFaults(rows.flatMap((row) => row.faults));
    },
    addFaults,
    flagRows: async (flag) => {
      const flagged = await flag(faultSeq);
      faultSeq += flagged.rows;
      return flagged;
    },
    finish: async () => {
      await cut();
      return rowSet.mark();
    },
  };
}

function validRow(app: App, file: FileRow, payment: PaymentRow, batchNo: number): NewRow {
  const { line, invoice, customerCode, amountCents, number } = payment;
  return {
    line,
    batchNo,
    invoice,
    customerCode,
    amountCents,
    lastFour: lastFour(number),
    fingerprint: fingerprintRow(app, file, payment),
  };
}

/** A row that is not sent is kept by line and invoice, so that it can be found; nothing else of it can be trusted. */
function withheldRow(file: FileRow, { raw, amountCents }: CheckedRow): NewRow {
  const layout = layoutOf(file.operation, raw.cells.length);
  const invoice = layout ? maskRow(layout, raw.cells)[columnsOf(layout).indexOf('invoice')] : undefined;
  return {
    line: raw.line,
    batchNo: null,
    invoice: (invoice ?? '').trim().slice(0, LONGEST_INVOICE),
    customerCode: '',
    amountCents: amountCents ?? null,
    lastFour: '',
    fingerprint: null,
  };
}

/** A withheld row may hold anything in its invoice; more than this is no invoice. */
const LONGEST_INVOICE = 100;
