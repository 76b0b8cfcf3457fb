import type { Ledger } from '../engine/open-ledger.ts';

/** A file that needs approval. Rows and money are those of its valid rows; money is integer cents. */
export type HeldFile = {
  fileId: string;
  name: string;
  account: string;
  rows: number;
  cents: number;
  since: Date;
  reason: string | null;
};

/** Returns the held files, longest waiting first; at most 200. Uses the index `file_by_state`. */
export async function readHeld(ledger: Ledger): Promise<HeldFile[]> {
  const { rows } = await ledger.pool.query<HeldFile>(
    `SELECT file_id AS "fileId", name, account, coalesce(valid_rows, 0) AS rows, coalesce(valid_cents, 0)::bigint AS cents,
            state_at AS since, reason
     FROM file WHERE state = 'held' ORDER BY state_at, file_no LIMIT 200`,
  );
  return rows;
}
