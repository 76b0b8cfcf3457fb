import type { Ledger } from '../engine/open-ledger.ts';
import { type DueFile, findDueShreds, type RetentionDays } from './retention.ts';
import { type Transaction, transact } from '../engine/transaction.ts';

const ACTOR = 'worker:sweep';

/**
 * Destroys the data key of a file whose retention is over, and so everything sealed with it, wherever a copy is. Masked
 * rows, outcomes and outputs stay. Whether the file must wait is checked again under its lock.
 * @returns false when it is not, or no longer, due
 */
export async function shredFile(ledger: Ledger, fileId: string, days: RetentionDays): Promise<boolean> {
  return transact(ledger, async (tx) => {
    await tx.client.query('SELECT FROM file WHERE file_id = $1 FOR UPDATE', [fileId]);
    await tx.client.query('SELECT FROM batch WHERE file_id = $1 FOR UPDATE', [fileId]);
    const here = { ...ledger, pool: tx.client };
    const [due] = await findDueShreds(here, days, { limit: 1, fileId });
    if (!due) return false;
    await destroyKeys(tx, fileId);
    const { rowCount } = await tx.client.query('DELETE FROM sealed_part WHERE file_id = $1', [fileId]);
    const reason = 'its retention is over; its data key was destroyed';
    tx.audit({ actor: ACTOR, fileId, move: 'shred', reason, evidence: evidenceOf(due, rowCount ?? 0) });
    return true;
  });
}

/**
 * Deletes a file's keys and marks it as shredded. What they wrapped or sealed can no longer be opened. The bytes stay
 * in the database files until clean-storage.ts has run.
 */
export async function destroyKeys(tx: Transaction, fileId: string): Promise<void> {
  await tx.client.query('DELETE FROM file_secret WHERE file_id = $1', [fileId]);
  await tx.client.query('UPDATE file SET shredded_at = $2 WHERE file_id = $1', [fileId, tx.at]);
}

function evidenceOf({ account, dueAt }: DueFile, sealedParts: number) {
  return { account, dueAt: dueAt.toISOString(), sealedParts };
}

/** Fingerprints per transaction. A file may have a million. */
const SLICE_ROWS = 20_000;

/**
 * Deletes the fingerprints of every file whose key was destroyed, in slices. After a crash it continues where it was.
 * @param isStopping asked between two slices
 * @returns how many files are finished
 */
export async function dropFingerprints(ledger: Ledger, isStopping: () => boolean): Promise<number> {
  const { rows } = await ledger.pool.query<{ fileNo: number }>(
    `SELECT file_no AS "fileNo" FROM file
     WHERE shredded_at IS NOT NULL AND fingerprints_dropped_at IS NULL ORDER BY file_no LIMIT 1000`,
  );
  let done = 0;
  for (const { fileNo } of rows) {
    let dropped: number | null;
    do {
      if (isStopping()) return done;
      ({ rowCount: dropped } = await ledger.pool.query(
        `DELETE FROM row_print WHERE ctid = ANY (ARRAY(SELECT ctid FROM row_print WHERE file_no = $1 LIMIT $2))`,
        [fileNo, SLICE_ROWS],
      ));
    } while (dropped);
    await ledger.pool.query('UPDATE file SET fingerprints_dropped_at = $2 WHERE file_no = $1', [
      fileNo,
      ledger.clock.now(),
    ]);
    done += 1;
  }
  return done;
}
