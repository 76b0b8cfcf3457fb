import type { Ledger } from '../open-ledger.ts';
import { type DueFile, findDueShreds, type RetentionDays } from '../queries/retention.ts';
import { type Transaction, transact } from '../transaction.ts';

const ACTOR = 'worker:sweep';

/**
 * Destroys the data key of a file whose time is over, and with it everything that is sealed of it, wherever a copy of it
 * lies (F92). Its masked rows, outcomes and outputs stay. What it waits for is asked again under the lock of the file.
 * @returns false when it is not due (any more)
 */
export async function shredFile(ledger: Ledger, fileId: string, days: RetentionDays): Promise<boolean> {
  return transact(ledger, async (tx) => {
    await tx.client.query('SELECT FROM file WHERE file_id = $1 FOR UPDATE', [fileId]);
    await tx.client.query('SELECT FROM batch WHERE file_id = $1 FOR UPDATE', [fileId]);
    const here = { pool: tx.client, clock: ledger.clock };
    const [due] = await findDueShreds(here, days, { limit: 1, fileId });
    if (!due) return false;
    await destroyKeys(tx, fileId);
    const { rowCount } = await tx.client.query('DELETE FROM sealed_part WHERE file_id = $1', [fileId]);
    const reason = 'its retention is over; its data key was destroyed';
    tx.audit({ actor: ACTOR, fileId, move: 'shred', reason, evidence: evidenceOf(due, rowCount ?? 0) });
    return true;
  });
}

/** What is wrapped or sealed with the data key could not be opened any more; it need not lie about either. */
export async function destroyKeys(tx: Transaction, fileId: string): Promise<void> {
  await tx.client.query(
    `UPDATE file SET wrapped_key = NULL, content_key = NULL, row_set = NULL, shredded_at = $2 WHERE file_id = $1`,
    [fileId, tx.at],
  );
}

function evidenceOf({ account, dueAt }: DueFile, sealedParts: number) {
  return { account, dueAt: dueAt.toISOString(), sealedParts };
}

/** Rows of one transaction. A file may have a million, and each of them is written anew. */
const SLICE_LINES = 20_000;

/**
 * Drops the fingerprints of every file whose key was destroyed, in slices. After a crash it goes on where it was.
 * @param isStopping asked between two slices
 * @returns how many files are done with
 */
export async function dropFingerprints(ledger: Ledger, isStopping: () => boolean): Promise<number> {
  const { rows } = await ledger.pool.query<{ fileNo: number; last: number | null }>(
    `SELECT f.file_no AS "fileNo", (SELECT max(line) FROM payment_row r WHERE r.file_no = f.file_no) AS last
     FROM file f WHERE f.shredded_at IS NOT NULL AND f.fingerprints_dropped_at IS NULL ORDER BY f.file_no LIMIT 1000`,
  );
  let done = 0;
  for (const { fileNo, last } of rows) {
    for (let line = 0; line <= (last ?? -1); line += SLICE_LINES) {
      if (isStopping()) return done;
      await ledger.pool.query(
        `UPDATE payment_row SET fingerprint = NULL
         WHERE file_no = $1 AND line >= $2 AND line < $3 AND fingerprint IS NOT NULL`,
        [fileNo, line, line + SLICE_LINES],
      );
    }
    await ledger.pool.query('UPDATE file SET fingerprints_dropped_at = $2 WHERE file_no = $1', [
      fileNo,
      ledger.clock.now(),
    ]);
    done += 1;
  }
  return done;
}
