import type { FileRow } from './records.ts';
import type { Transaction } from './transaction.ts';

/**
 * Fingerprints of rows are kept in volumes: each is led by the number of its volume. Whoever looks for a row asks once for
 * each volume that may hold it, and what is taken in goes into one narrow place of the index, however much came before.
 */

/** Rows after which a volume is full. The more there are, the fewer volumes are asked; the fewer, the narrower is the place. */
const FULL_ROWS = 1_000_000;

/** A file of this many bytes begins a volume of its own, in which nobody then needs to look for its rows. */
const OWN_VOLUME_BYTES = 8 * 1024 * 1024;

/** The volume into which the rows of a file go; a new one has the number of the file. */
export async function chooseVolume(
  tx: Transaction,
  file: Pick<FileRow, 'file_no' | 'account' | 'bytes'>,
): Promise<number> {
  if (file.bytes >= OWN_VOLUME_BYTES) return file.file_no;
  const { rows } = await tx.client.query<{ volume: number; rows: number }>(
    'SELECT volume, rows FROM fingerprint_volume WHERE account = $1 ORDER BY volume DESC LIMIT 1',
    [file.account],
  );
  const [last] = rows;
  return last && last.rows < FULL_ROWS ? last.volume : file.file_no;
}

/** Notes what a file has put into its volume. From the end of the transaction on it is looked into. */
export async function noteVolume(
  tx: Transaction,
  file: Pick<FileRow, 'account' | 'claimed_at'>,
  volume: number,
  rows: number,
): Promise<void> {
  await tx.client.query(
    `INSERT INTO fingerprint_volume AS v (volume, account, rows, newest_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (volume) DO UPDATE SET rows = v.rows + excluded.rows, newest_at = greatest(v.newest_at, excluded.newest_at)`,
    [volume, file.account, rows, file.claimed_at],
  );
}

/** The volumes of an account that have a file claimed since then, by their numbers. */
export async function findVolumes(
  client: Pick<Transaction['client'], 'query'>,
  account: string,
  since: Date,
): Promise<number[]> {
  const { rows } = await client.query<{ volume: number }>(
    'SELECT volume FROM fingerprint_volume WHERE account = $1 AND newest_at >= $2 ORDER BY volume',
    [account, since],
  );
  return rows.map((row) => row.volume);
}
