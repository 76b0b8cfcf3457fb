import type { Ledger } from '../engine/open-ledger.ts';
import type { Transaction } from '../engine/transaction.ts';

/**
 * Describes batches of a file that may have been sent before the ledger was restored. The send journal knows their
 * bytes, or a batch of their file that the ledger lacks, from a forgotten call; or the same rows in other batches.
 * @param rowSet mark of the rows of the file; null when it has none
 * @returns the description, or undefined when there are none
 */
export async function describeSentBefore(
  tx: Transaction,
  fileId: string,
  rowSet: string | null,
): Promise<string | undefined> {
  const { rows } = await tx.client.query<SentBefore>(
    `SELECT DISTINCT ON (b.batch_no) b.batch_no, g.file_id, g.at
     FROM batch b JOIN forgotten_send g ON g.account = b.account
       AND (g.sha256 = b.body_sha256 OR g.row_set = $2 OR (g.file_id = b.file_id AND g.batch_state IS NULL))
     WHERE b.file_id = $1 ORDER BY b.batch_no, g.sha256 = b.body_sha256 DESC, g.at`,
    [fileId, rowSet],
  );
  return saySentBefore(rows);
}

/**
 * Returns whether the file from which batches or all rows of this one were sent went, in part, with bytes that no batch
 * of this one has. It was cut in another way then, or other rows were in it, so batches that look new may hold rows
 * that were sent.
 */
export async function wasCutOtherwise(tx: Transaction, fileId: string): Promise<boolean> {
  const { rowCount } = await tx.client.query(
    `SELECT 1 FROM forgotten_send other
     WHERE (other.account, other.file_id) IN
         (SELECT g.account, g.file_id FROM batch b JOIN forgotten_send g ON g.account = b.account
            AND (g.sha256 = b.body_sha256 OR g.row_set = (SELECT row_set FROM file_secret WHERE file_id = $1))
          WHERE b.file_id = $1 AND g.file_id <> b.file_id)
       AND other.sha256 NOT IN (SELECT own.body_sha256 FROM batch own WHERE own.file_id = $1) LIMIT 1`,
    [fileId],
  );
  return rowCount !== 0;
}

/** A batch whose rows were sent, when, and from which file. */
export type SentBefore = { batch_no: number; file_id: string; at: Date };

/** @returns undefined when there are none */
export function saySentBefore([first, ...others]: readonly SentBefore[]): string | undefined {
  if (!first) return undefined;
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  return `batch ${first.batch_no} was sent at ${first.at.toISOString()} from file ${first.file_id}${more}`;
}

/** Returns whether the send journal knows any forgotten call of this account; most accounts have none. */
export async function hasForgottenSends({ pool }: Ledger, account: string): Promise<boolean> {
  const { rowCount } = await pool.query('SELECT 1 FROM forgotten_send WHERE account = $1 LIMIT 1', [account]);
  return rowCount !== 0;
}

/**
 * Returns when the bytes of a batch that is not cut yet, or all rows of its file, were sent before; undefined when they
 * were not.
 */
export async function findForgottenSend(
  { pool }: Ledger,
  { account, batchNo, ...known }: { account: string; batchNo: number; sha256?: string; rowSet?: string | null },
): Promise<SentBefore | undefined> {
  const { rows } = await pool.query<SentBefore>(
    `SELECT $3::integer AS batch_no, file_id, at FROM forgotten_send
     WHERE account = $1 AND (sha256 = $2 OR row_set = $4) ORDER BY at LIMIT 1`,
    [account, known.sha256 ?? null, batchNo, known.rowSet ?? null],
  );
  return rows[0];
}
