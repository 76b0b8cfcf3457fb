import type { Withheld } from '../../kernel/rows.ts';
import type { Ledger } from '../open-ledger.ts';
import type { FileRow } from '../records.ts';

/**
 * The rows of a file that were not sent because of their faults, with their money as far as it could be read. Only the rows
 * with faults are looked at, so a large file with few of them costs no more than a small one.
 */
export async function readWithheld({ pool }: Pick<Ledger, 'pool'>, file: FileRow): Promise<Withheld> {
  if (!file.invalid_rows) return { rows: 0, cents: 0, unreadable: 0 };
  const { rows } = await pool.query<Omit<Withheld, 'rows'>>(
    `SELECT coalesce(sum(amount_cents), 0)::bigint AS cents, count(*) FILTER (WHERE amount_cents IS NULL) AS unreadable
     FROM payment_row r
     WHERE file_no = $1 AND batch_no IS NULL AND line IN (SELECT line FROM row_fault WHERE file_no = $1 AND line > 0)`,
    [file.file_no],
  );
  return { rows: file.invalid_rows, ...rows[0]! };
}

/** Files of which rows were withheld since a moment, the latest first; at most 50. Nothing is known of what became of those rows. */
export type WithheldFile = { fileId: string; name: string; account: string; claimedAt: Date } & Withheld;

export async function readWithheldFiles(ledger: Pick<Ledger, 'pool'>, since: Date): Promise<WithheldFile[]> {
  const { rows } = await ledger.pool.query<FileRow>(
    `SELECT * FROM file WHERE invalid_rows > 0 AND claimed_at >= $1
       AND state IN ('accepted', 'in_progress', 'completed', 'partly_cancelled') ORDER BY file_no DESC LIMIT 50`,
    [since],
  );
  return Promise.all(
    rows.map(async (file) => ({
      fileId: file.file_id,
      name: file.name,
      account: file.account,
      claimedAt: file.claimed_at,
      ...(await readWithheld(ledger, file)),
    })),
  );
}
