import type { PoolClient } from 'pg';
import type { Withheld } from '../../kernel/rows.ts';
import type { Ledger } from '../open-ledger.ts';
import type { FileRow } from '../records.ts';

/**
 * The rows of a file that were not sent because of their faults, with their money as far as it could be read. Only the rows
 * with faults are looked at, so a large file with few of them costs no more than a small one.
 */
export async function readWithheld({ pool }: Pick<Ledger, 'pool'>, file: FileRow): Promise<Withheld> {
  if (!file.invalid_rows) return { rows: 0, cents: 0, unreadable: 0 };
  const { rows } = await pool.query<Omit<Withheld, 'rows'>>(`SELECT w.* FROM file f, ${MONEY} WHERE file_no = $1`, [
    file.file_no,
  ]);
  return { rows: file.invalid_rows, ...rows[0]! };
}

/** SQL: what the withheld rows of the file `f` come to. */
const MONEY = `LATERAL (
  SELECT coalesce(sum(amount_cents), 0)::bigint AS cents, count(*) FILTER (WHERE amount_cents IS NULL) AS unreadable
  FROM payment_row r
  WHERE r.file_no = f.file_no AND batch_no IS NULL
    AND line IN (SELECT line FROM row_fault d WHERE d.file_no = f.file_no AND line > 0)) w`;

/** The rows that were withheld of the files of an account that were accepted in a time. */
export async function sumWithheld(
  client: Pick<PoolClient, 'query'>,
  account: string,
  from: Date,
  until: Date,
): Promise<Withheld> {
  const { rows } = await client.query<Withheld>(
    `SELECT coalesce(sum(f.invalid_rows), 0)::bigint AS rows, coalesce(sum(w.cents), 0)::bigint AS cents,
            coalesce(sum(w.unreadable), 0)::bigint AS unreadable
     FROM file f, ${MONEY} WHERE f.account = $1 AND f.accepted_at >= $2 AND f.accepted_at < $3 AND f.invalid_rows > 0`,
    [account, from, until],
  );
  return rows[0]!;
}

/** How far back such files are named, in ms. */
const NAMED_MS = 7 * 86_400_000;

/** Files of which rows were withheld since a moment, in the last 7 days when left out, the latest first; at most 50. Nothing is known of what became of those rows. */
export type WithheldFile = { fileId: string; name: string; account: string; claimedAt: Date } & Withheld;

export async function readWithheldFiles(
  { pool, clock }: Pick<Ledger, 'pool' | 'clock'>,
  since = new Date(clock.now().getTime() - NAMED_MS),
): Promise<WithheldFile[]> {
  const { rows } = await pool.query<WithheldFile>(
    `SELECT f.file_id AS "fileId", f.name, f.account, f.claimed_at AS "claimedAt", f.invalid_rows AS rows, w.*
     FROM (SELECT * FROM file WHERE invalid_rows > 0 AND claimed_at >= $1
             AND state IN ('accepted', 'in_progress', 'completed', 'partly_cancelled')
           ORDER BY file_no DESC LIMIT 50) f, ${MONEY}
     ORDER BY f.file_no DESC`,
    [since],
  );
  return rows;
}
