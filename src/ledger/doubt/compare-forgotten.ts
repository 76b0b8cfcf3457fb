import type { FaultCode } from '../../../schemas/errors.ts';
import { IS_UNSENT } from '../batch/conditions.ts';
import { counted } from '../../kernel/counted.ts';
import type { Fault } from '../../rows/rows.ts';
import { lockForStop } from '../account/pause-account.ts';
import type { Forgotten, ForgottenRow } from '../duplicates/find-forgotten-rows.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { PlainFileRow } from '../engine/records.ts';
import { type Transaction, transact } from '../engine/transaction.ts';
import { copyFaults } from '../row/copy-rows.ts';
import { recallEntries } from './recall-batch.ts';

/** A waiting file that was not compared with every forgotten call of its merchant. */
export type NotCompared = { fileId: string; account: string; comparedTo: number };

export async function listNotCompared({ pool }: Ledger): Promise<NotCompared[]> {
  const { rows } = await pool.query<NotCompared>(
    `SELECT f.file_id AS "fileId", f.account, f.compared_to AS "comparedTo"
     FROM (SELECT DISTINCT merchant_no FROM forgotten_send) g JOIN file f USING (merchant_no)
     WHERE f.state IN ('held', 'accepted', 'in_progress') AND f.layout IS NOT NULL
       AND NOT is_compared(f.file_id) ORDER BY f.file_no`,
  );
  return rows;
}

/**
 * Records what the comparison of a file found. Its batches with rows of forgotten calls are put in doubt, or flagged
 * while the file is held: then a person decides about it anyway.
 */
export async function noteCompared(
  ledger: Ledger,
  file: Pick<PlainFileRow, 'file_id' | 'file_no' | 'account'>,
  { newest, unknown, found }: Forgotten & { found: readonly { batchNo: number; rows: ForgottenRow[] }[] },
): Promise<void> {
  const { file_id: fileId, account } = file;
  await transact(ledger, async (tx) => {
    await lockForStop(tx);
    // Another process may have done it meanwhile.
    const { rows } = await tx.client.query<{ state: string }>(
      'SELECT state FROM file WHERE file_id = $1 AND compared_to < $2 FOR UPDATE',
      [fileId, newest],
    );
    const [now] = rows;
    if (!now) return;
    if (now.state === 'held') await flagHeld(tx, file, faultsOf({ unknown, found }));
    else await recallBatches(tx, account, fileId, found);
    await tx.client.query('UPDATE file SET compared_to = $2 WHERE file_id = $1', [fileId, newest]);
  });
}

/** Returns the faults of a file that may hold rows of forgotten calls: of its rows, and of itself. */
export function faultsOf({
  unknown,
  found,
}: Pick<Forgotten, 'unknown'> & { found: readonly { rows: readonly ForgottenRow[] }[] }): Fault[] {
  const ofRows = found.flatMap(({ rows }) => rows);
  const ofFile = (code: FaultCode, detail: string): Fault => ({ code, line: 0, detail });
  const [first] = ofRows;
  return [
    ...ofRows,
    ...(first
      ? [ofFile('ROWS_SENT_BEFORE', `${counted(ofRows.length, 'row')}; line ${first.line} was in ${first.detail}`)]
      : []),
    ...(unknown > 0 ? [ofFile('ROWS_NOT_KNOWN', counted(unknown, 'call'))] : []),
  ];
}

async function flagHeld(tx: Transaction, { file_no: fileNo }: Pick<PlainFileRow, 'file_no'>, faults: Fault[]) {
  if (faults.length === 0) return;
  const { rows } = await tx.client.query<{ next: number }>(
    'SELECT coalesce(max(seq), 0) + 1 AS next FROM row_fault WHERE file_no = $1',
    [fileNo],
  );
  await copyFaults(tx, fileNo, rows[0]!.next, faults);
}

async function recallBatches(
  tx: Transaction,
  account: string,
  fileId: string,
  found: readonly { batchNo: number }[],
): Promise<void> {
  const { rows } = await tx.client.query<{ batchNo: number; attempt: number; sha256: string }>(
    `SELECT batch_no AS "batchNo", attempt, body_sha256 AS sha256 FROM batch
     WHERE file_id = $1 AND batch_no = ANY ($2) AND ${IS_UNSENT} ORDER BY batch_no`,
    [fileId, found.map(({ batchNo }) => batchNo)],
  );
  const entries = rows.map(({ attempt, ...batch }) => ({
    ...batch,
    at: tx.at.toISOString(),
    account,
    fileId,
    attempt: attempt + 1,
  }));
  if (entries.length > 0) await recallEntries(tx, entries, 'comparison with forgotten calls');
}

/**
 * Records that a report covers calls whose rows were not known. Files are then compared with the payments that it shows.
 * A call of which only the batch id is known has no time; it counts if the report shows payments that nothing here sent,
 * and begins before them.
 * @param showsUnknown whether it does
 */
export async function noteCovered(
  tx: Transaction,
  { account, from, to, showsUnknown }: { account: string; from: Date; to: Date; showsUnknown: boolean },
): Promise<void> {
  await tx.client.query(
    `UPDATE forgotten_send SET reconciled_at = $4, call_order = DEFAULT
     WHERE merchant_no = (SELECT merchant_of($1)) AND NOT is_marked AND reconciled_at IS NULL
       AND CASE WHEN sha256 = '' THEN $5 AND at >= $2 ELSE at BETWEEN $2 AND $3 END`,
    [account, from, to, tx.at, showsUnknown],
  );
}
