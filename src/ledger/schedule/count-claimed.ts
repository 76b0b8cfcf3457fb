import type { Ledger } from '../engine/open-ledger.ts';

/**
 * Counts the files taken from these folders between two moments, both included.
 * @param folders their ids
 */
export async function countClaimed(
  ledger: Ledger,
  folders: readonly string[],
  from: Date,
  until: Date,
): Promise<number> {
  const { rows } = await ledger.pool.query<{ files: number }>(
    'SELECT count(*) AS files FROM file WHERE folder = ANY ($1) AND claimed_at >= $2 AND claimed_at <= $3',
    [folders, from, until],
  );
  return rows[0]!.files;
}
