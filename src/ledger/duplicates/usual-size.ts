import type { FileRow } from '../engine/records.ts';
import type { Transaction } from '../engine/transaction.ts';

/** Size of earlier files; refunds count without their sign. */
export type UsualSize = { files: number; rows: number; cents: number };

/** Returns the median of the last twenty accepted files of the folder. One huge file changes it little. */
export async function readUsualSize(
  tx: Transaction,
  file: Pick<FileRow, 'file_id' | 'account' | 'folder'>,
): Promise<UsualSize> {
  const { rows } = await tx.client.query<{ files: number; rows: number | null; cents: number | null }>(
    `SELECT count(*) AS files,
            percentile_cont(0.5) WITHIN GROUP (ORDER BY last.valid_rows) AS rows,
            percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(last.valid_cents)) AS cents
     FROM (SELECT valid_rows, valid_cents FROM file
           WHERE account = $1 AND folder = $2 AND file_id <> $3 AND accepted_at IS NOT NULL AND state <> 'cancelled'
           ORDER BY accepted_at DESC LIMIT 20) last`,
    [file.account, file.folder, file.file_id],
  );
  const { files, rows: usualRows, cents } = rows[0]!;
  return { files, rows: usualRows ?? 0, cents: cents ?? 0 };
}

/**
 * Sums the cents of the account's files accepted since a moment, refunds without their sign. A file counts if either of
 * its two times is late enough, so a slow clock does not move it to the day before.
 */
export async function readAcceptedCents(tx: Transaction, account: string, since: Date): Promise<number> {
  const { rows } = await tx.client.query<{ cents: number }>(
    `SELECT coalesce(sum(abs(valid_cents)), 0)::bigint AS cents FROM file
     WHERE account = $1 AND accepted_at IS NOT NULL AND greatest(accepted_at, aged_from) >= $2 AND state <> 'cancelled'`,
    [account, since],
  );
  return rows[0]!.cents;
}
