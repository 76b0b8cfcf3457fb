import { IS_FINAL_FILE, IS_OPEN } from '../batch/conditions.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { FileRow } from '../engine/records.ts';
import { type Cleaning, cleaningOf, readCleaning } from './clean-storage.ts';
import { IS_DELIVERABLE } from '../batch/due-work.ts';
import { type Transaction, transact } from '../engine/transaction.ts';

/** Days after the final state of a file, by account; 0 means never. `others` is for accounts that are gone. */
export type RetentionDays = { byAccount: Readonly<Record<string, number>>; others: number };

/** A file whose retention is over. `dueAt` is when it ended, by the later of two clocks. */
export type DueFile = Pick<FileRow, 'file_id' | 'file_no' | 'name' | 'account' | 'state'> & { dueAt: Date };

/**
 * Returns files whose retention is over and whose key still exists, oldest first. The clocks of this host and of the
 * database must both say so, because destruction cannot be undone. A file waits while anything is open: a batch, a
 * result to request again, an unwritten correction or notice, a proposal.
 * @param fileId checks only this file
 */
export async function findDueShreds(
  ledger: Pick<Ledger, 'clock' | 'databaseNow'> & { pool: { query: Ledger['pool']['query'] } },
  days: RetentionDays,
  { limit, fileId }: { limit: number; fileId?: string },
): Promise<DueFile[]> {
  const { rows } = await ledger.pool.query<DueFile>(
    `SELECT f.file_id, f.file_no, f.name, f.account, f.state,
            greatest(f.state_at, f.known_at) + coalesce(kept.days, $3) * interval '1 day' AS "dueAt"
     FROM file f LEFT JOIN unnest($1::text[], $2::int[]) AS kept (account, days) USING (account)
     WHERE f.shredded_at IS NULL AND ($6::text IS NULL OR f.file_id = $6)
       AND f.${IS_FINAL_FILE} AND coalesce(kept.days, $3) > 0
       AND f.state_at + coalesce(kept.days, $3) * interval '1 day' <= least($4, ${ledger.databaseNow()})
       AND f.known_at + coalesce(kept.days, $3) * interval '1 day' <= least($4, ${ledger.databaseNow()})
       AND NOT EXISTS (SELECT 1 FROM batch b WHERE b.file_id = f.file_id
                       AND (b.${IS_OPEN} OR b.next_recheck_at IS NOT NULL))
       AND NOT EXISTS (SELECT 1 FROM proposal p WHERE p.file_id = f.file_id AND p.verdict IS NULL)
       AND NOT ${IS_DELIVERABLE}
     ORDER BY f.state_at LIMIT $5`,
    [
      Object.keys(days.byAccount),
      Object.values(days.byAccount),
      days.others,
      ledger.clock.now(),
      limit,
      fileId ?? null,
    ],
  );
  return rows;
}

/** A file whose key was destroyed. `leftOver` names what should be gone with it but is not. */
export type ShreddedFile = Pick<FileRow, 'file_id' | 'name' | 'account' | 'state'> & {
  shreddedAt: Date;
  auditLink: number | null;
  leftOver: string[];
  /** What the database files still hold of its key, and of the fingerprints of its rows. */
  key: Cleaning;
  fingerprints: Cleaning;
};

/** Returns the files whose keys were destroyed in a period, and checks everything that must be gone with them. */
export async function readShredded(ledger: Ledger, from: Date, to: Date): Promise<ShreddedFile[]> {
  type KeyState = Parameters<typeof readCleaning>[0];
  const { rows } = await ledger.pool.query<
    Omit<ShreddedFile, 'key' | 'fingerprints'> & { key: KeyState; fingerprints: KeyState }
  >(
    `SELECT f.file_id, f.name, f.account, f.state, f.shredded_at AS "shreddedAt",
            (SELECT min(a.seq) FROM audit a WHERE a.file_id = f.file_id AND a.move = 'shred') AS "auditLink",
            array_remove(ARRAY[
              CASE WHEN EXISTS (SELECT 1 FROM file_secret s WHERE s.file_id = f.file_id) THEN 'data key' END,
              CASE WHEN EXISTS (SELECT 1 FROM sealed_part p WHERE p.file_id = f.file_id) THEN 'sealed batches' END,
              CASE WHEN EXISTS (SELECT 1 FROM row_fingerprint p WHERE p.file_no = f.file_no) THEN 'fingerprints' END
            ], NULL) AS "leftOver",
            ${cleaningOf('file_secret')} AS key, ${cleaningOf('row_fingerprint')} AS fingerprints
     FROM file f WHERE f.shredded_at >= $1 AND f.shredded_at < $2 ORDER BY f.shredded_at, f.file_no`,
    [from, to],
  );
  return rows.map((row) => ({ ...row, key: readCleaning(row.key), fingerprints: readCleaning(row.fingerprints) }));
}

/** Returns for each file id whether its key is destroyed; files that the ledger does not know are missing. */
export async function readShredStates(ledger: Ledger, fileIds: readonly string[]): Promise<Map<string, boolean>> {
  const { rows } = await ledger.pool.query<{ id: string; shredded: boolean }>(
    'SELECT file_id AS id, shredded_at IS NOT NULL AS shredded FROM file WHERE file_id = ANY ($1)',
    [fileIds],
  );
  return new Map(rows.map(({ id, shredded }) => [id, shredded]));
}

/** Something that expires at a given moment. */
export type Expiring = { what: 'token' | 'originals'; name: string; at: Date };

/**
 * Returns what expires before a moment, earliest first: valid API tokens (at most 20), and per account its first
 * original. An original expires when its key is destroyed, at the end of its retention.
 */
export async function findExpiring(ledger: Ledger, days: RetentionDays, before: Date): Promise<Expiring[]> {
  const { rows } = await ledger.pool.query<Expiring>(
    `(SELECT 'token' AS what, t.name || ' of ' || t.person AS name, t.expires_at AS at
      FROM api_token t JOIN person p ON p.name = t.person
      WHERE t.revoked_at IS NULL AND t.expires_at > $3 AND t.expires_at < $4 AND p.disabled_at IS NULL
      ORDER BY t.expires_at, t.token_no LIMIT 20)
     UNION ALL
     SELECT 'originals', kept.account, first.state_at + kept.days * interval '1 day'
     FROM unnest($1::text[], $2::int[]) AS kept (account, days), LATERAL (
       SELECT f.state_at FROM file f
       WHERE f.shredded_at IS NULL AND f.account = kept.account
         AND f.${IS_FINAL_FILE}
       ORDER BY f.state_at LIMIT 1) first
     WHERE kept.days > 0 AND first.state_at + kept.days * interval '1 day' < $4
     ORDER BY 3, 1, 2`,
    [Object.keys(days.byAccount), Object.values(days.byAccount), ledger.clock.now(), before],
  );
  return rows;
}

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
    const evidence = { account: due.account, dueAt: due.dueAt.toISOString(), sealedParts: rowCount ?? 0 };
    const reason = 'its retention is over; its data key was destroyed';
    tx.audit({ actor: 'worker:sweep', fileId, move: 'shred', reason, evidence });
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
        `DELETE FROM row_fingerprint WHERE ctid = ANY (ARRAY(SELECT ctid FROM row_fingerprint WHERE file_no = $1 LIMIT $2))`,
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
