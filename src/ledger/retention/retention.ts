import type { Ledger } from '../engine/open-ledger.ts';
import type { FileRow } from '../engine/records.ts';
import { type Cleaning, cleaningOf, readCleaning } from './cleanings.ts';
import { IS_DELIVERABLE } from '../batch/due-work.ts';

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
       AND f.state IN ('completed', 'cancelled', 'partly_cancelled', 'rejected') AND coalesce(kept.days, $3) > 0
       AND f.state_at + coalesce(kept.days, $3) * interval '1 day' <= least($4, ${ledger.databaseNow()})
       AND (f.known_at IS NULL OR f.known_at + coalesce(kept.days, $3) * interval '1 day' <= least($4, ${ledger.databaseNow()}))
       AND NOT EXISTS (SELECT 1 FROM batch b WHERE b.file_id = f.file_id
                       AND (b.state NOT IN ('reconciled', 'cancelled') OR b.next_recheck_at IS NOT NULL))
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
  type Found = Parameters<typeof readCleaning>[0];
  const { rows } = await ledger.pool.query<
    Omit<ShreddedFile, 'key' | 'fingerprints'> & { key: Found; fingerprints: Found }
  >(
    `SELECT f.file_id, f.name, f.account, f.state, f.shredded_at AS "shreddedAt",
            (SELECT min(a.seq) FROM audit a WHERE a.file_id = f.file_id AND a.move = 'shred') AS "auditLink",
            array_remove(ARRAY[
              CASE WHEN EXISTS (SELECT 1 FROM file_secret s WHERE s.file_id = f.file_id) THEN 'data key' END,
              CASE WHEN EXISTS (SELECT 1 FROM sealed_part p WHERE p.file_id = f.file_id) THEN 'sealed batches' END,
              CASE WHEN EXISTS (SELECT 1 FROM row_print p WHERE p.file_no = f.file_no) THEN 'fingerprints' END
            ], NULL) AS "leftOver",
            ${cleaningOf('file_secret')} AS key, ${cleaningOf('row_print')} AS fingerprints
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
