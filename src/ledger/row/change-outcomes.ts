import { PipelineError } from '../../kernel/errors.ts';
import type { ReconciledRow, Totals } from '../../rows/rows.ts';
import { storableText } from '../engine/storable-text.ts';
import type { Transaction } from '../engine/transaction.ts';
import type { BatchKey } from '../engine/move.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { CERTAINLY_NOT_CHARGED } from '../batch/conditions.ts';
import { learnCharged } from '../duplicates/double-charges.ts';
import type { Outcome } from '../../../schemas/lifecycle.ts';
import type { LedgerRow } from '../engine/records.ts';

/** Who found the change, why it is believed, and its source in words for the correction file. */
type ChangeSource = { actor: string; reason: string; source: string; evidence?: Record<string, unknown> };

type Correction = { correctionNo: number; rows: number };

/**
 * Records that rows of a batch have another outcome or code than the ledger has. Nothing is overwritten: the first
 * outcome stays, changes are numbered, and each number becomes one correction file. All later knowledge about a row,
 * from the service or a person, comes through here.
 * @param rows some or all rows of the batch; those that match the ledger are left out
 * @returns undefined when nothing is new
 * @throws PipelineError MOVE_REFUSED when a row is not in this batch or never had an outcome
 */
export async function changeOutcomes(
  tx: Transaction,
  key: BatchKey,
  rows: readonly ReconciledRow[],
  by: ChangeSource,
): Promise<Correction | undefined> {
  const { file_no: fileNo, account } = await lockFile(tx, key.fileId);
  const before = await readPresent(tx, fileNo, key);
  const changed = rows.filter((row) => {
    const known = before.get(row.line);
    if (!known) {
      const action = `correct line ${row.line} of batch ${key.batchNo} of file "${key.fileId}"`;
      throw new PipelineError('MOVE_REFUSED', action, 'it has no outcome in this batch');
    }
    return known.outcome !== row.outcome || known.code !== row.code;
  });
  if (changed.length === 0) return undefined;
  const correctionNo = await insertChanges(tx, fileNo, changed, by.source);
  const lines = changed
    .filter((row) => becameCharged(before.get(row.line)!.outcome, row.outcome))
    .map(({ line }) => line);
  await learnCharged(tx, { account, fileNo, fileId: key.fileId, lines, source: by.source, actor: by.actor });
  tx.audit({
    ...key,
    actor: by.actor,
    move: 'correct',
    reason: by.reason,
    evidence: { ...by.evidence, correctionNo, rows: changed.length, changes: sumChanges(changed, before) },
  });
  return { correctionNo, rows: changed.length };
}

/** Locks the file: two corrections of it at once would take the same number. */
export async function lockFile(tx: Transaction, fileId: string): Promise<{ file_no: number; account: string }> {
  const { rows } = await tx.client.query<{ file_no: number; account: string }>(
    'SELECT file_no, account FROM file WHERE file_id = $1 FOR NO KEY UPDATE',
    [fileId],
  );
  if (!rows[0]) throw new PipelineError('NOT_FOUND', `find file "${fileId}"`);
  return rows[0];
}

/**
 * Returns whether a row that was not paid, or nobody knew of, is now charged or in doubt. Intake already counts a row
 * that the bank has, so its payment is no news.
 */
function becameCharged(before: string, after: string): boolean {
  return (
    !CERTAINLY_NOT_CHARGED.includes(after) && (CERTAINLY_NOT_CHARGED.includes(before) || DOUBTFUL.includes(before))
  );
}

const DOUBTFUL: readonly string[] = ['unknown', 'duplicate'] satisfies Outcome[];

type Present = { line: number; outcome: string; code: number | null; cents: number };

async function readPresent(tx: Transaction, fileNo: number, key: BatchKey): Promise<Map<number, Present>> {
  const { rows } = await tx.client.query<Present>(
    `SELECT r.line, o.outcome, o.code, r.amount_cents AS cents
     FROM batch b
     JOIN payment_row r ON r.file_no = $1 AND r.line BETWEEN b.first_line AND b.last_line AND r.batch_no = b.batch_no
     JOIN current_outcome o ON o.file_no = $1 AND o.line = r.line AND o.line BETWEEN b.first_line AND b.last_line
     WHERE b.file_id = $2 AND b.batch_no = $3`,
    [fileNo, key.fileId, key.batchNo],
  );
  return new Map(rows.map((row) => [row.line, row]));
}

async function insertChanges(
  tx: Transaction,
  fileNo: number,
  changed: readonly ReconciledRow[],
  source: string,
): Promise<number> {
  const { rows } = await tx.client.query<{ last: number }>(
    'SELECT coalesce(max(correction_no), 0) AS last FROM row_change WHERE file_no = $1',
    [fileNo],
  );
  const correctionNo = rows[0]!.last + 1;
  await tx.client.query(
    `INSERT INTO row_change (file_no, correction_no, at, source, line, outcome, code, message, "authorization")
     SELECT $1, $2, $3, $4, * FROM unnest($5::int[], $6::text[], $7::int[], $8::text[], $9::text[])`,
    [
      fileNo,
      correctionNo,
      tx.at,
      storableText(source),
      changed.map((row) => row.line),
      changed.map((row) => row.outcome),
      changed.map((row) => row.code),
      changed.map((row) => storableText(row.message)),
      changed.map((row) => storableText(row.authorization)),
    ],
  );
  return correctionNo;
}

/** Sums rows and cents by old and new outcome, such as `unknown > approved`. */
function sumChanges(changed: readonly ReconciledRow[], before: ReadonlyMap<number, Present>): Record<string, Totals> {
  const sums: Record<string, Totals> = {};
  for (const row of changed) {
    const { outcome, cents } = before.get(row.line)!;
    const name = `${outcome} > ${row.outcome}`;
    const sum = sums[name] ?? { rows: 0, cents: 0 };
    sums[name] = { rows: sum.rows + 1, cents: sum.cents + cents };
  }
  return sums;
}

/** A row whose outcome changed, with its new and old values. */
export type ChangedRow = LedgerRow & {
  old_outcome: string;
  old_code: number | null;
  old_message: string;
  at: Date;
  source: string;
};

/** Returns the rows of one correction in line order. */
export async function readChanges(ledger: Ledger, fileNo: number, correctionNo: number): Promise<ChangedRow[]> {
  const { rows } = await ledger.pool.query<ChangedRow>(
    `SELECT r.line, r.batch_no, r.invoice, r.customer_code, r.amount_cents, r.last_four,
            c.outcome, c.code, c.message, c."authorization", c.old_outcome, c.old_code, c.old_message, c.at, c.source
     FROM outcome_change c JOIN payment_row r USING (file_no, line)
     WHERE c.file_no = $1 AND c.correction_no = $2 ORDER BY r.line`,
    [fileNo, correctionNo],
  );
  return rows;
}
