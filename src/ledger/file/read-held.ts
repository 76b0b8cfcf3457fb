import type { Ledger } from '../engine/open-ledger.ts';

/** A file that waits for a person. Rows and money are those of its valid rows; money is integer cents. */
export type HeldFile = {
  fileId: string;
  name: string;
  account: string;
  rows: number;
  cents: number;
  since: Date;
  reason: string | null;
};

/** The held files, those that have waited longest first; at most 200. Found by the index `file_by_state`. */
export async function readHeld(ledger: Ledger): Promise<HeldFile[]> {
  const { rows } = await ledger.pool.query<HeldFile>(
    `SELECT file_id AS "fileId", name, account, coalesce(valid_rows, 0) AS rows, coalesce(valid_cents, 0)::bigint AS cents,
            state_at AS since, reason
     FROM file WHERE state = 'held' ORDER BY state_at, file_no LIMIT 200`,
  );
  return rows;
}
