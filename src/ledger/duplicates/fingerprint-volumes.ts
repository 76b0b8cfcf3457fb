import type { FileRow } from '../engine/records.ts';
import type { Transaction } from '../engine/transaction.ts';

/**
 * Row fingerprints are kept in volumes, and the volume number leads the index. A search queries each volume that may
 * hold the row once. New fingerprints go into one narrow part of the index, however much it already holds.
 */

/** Rows that fill a volume. More rows mean fewer volumes to query, fewer a narrower part of the index. */
const FULL_ROWS = 1_000_000;

/** A file of this many bytes begins its own volume, which need not be searched for its rows. */
const OWN_VOLUME_BYTES = 8 * 1024 * 1024;

/** Volume for the fingerprints of a file, the database time, and when the last file became known. */
export type ChosenVolume = { volume: number; databaseNow: Date; lastFrom: Date | null };

/** Returns the volume for the rows of a file. A new volume has the number of the file. */
export async function chooseVolume(
  tx: Transaction,
  file: Pick<FileRow, 'file_no' | 'account' | 'bytes'>,
): Promise<ChosenVolume> {
  const { rows } = await tx.client.query<Omit<ChosenVolume, 'volume'> & { last: number | null; rows: number }>(
    `SELECT ${tx.databaseNow} AS "databaseNow", v.volume AS last, v.rows, v.last_from AS "lastFrom"
     FROM (VALUES (1)) AS always LEFT JOIN LATERAL
       (SELECT * FROM fingerprint_volume WHERE merchant_no = (SELECT merchant_of($1)) ORDER BY volume DESC LIMIT 1) v ON true`,
    [file.account],
  );
  const { last, rows: held, ...clocks } = rows[0]!;
  const isOpen = last !== null && held < FULL_ROWS && file.bytes < OWN_VOLUME_BYTES;
  return { volume: isOpen ? last : file.file_no, ...clocks };
}

/** Records what a file added to its volume. Searches include it once the transaction ends. */
export async function noteVolume(
  tx: Transaction,
  { account }: Pick<FileRow, 'account'>,
  { volume, rows, agedFrom }: { volume: number; rows: number; agedFrom: Date },
): Promise<void> {
  await tx.client.query(
    `INSERT INTO fingerprint_volume AS v (volume, merchant_no, rows, newest_at, last_from) VALUES ($1, merchant_of($2), $3, $4, $4)
     ON CONFLICT (volume) DO UPDATE SET rows = v.rows + excluded.rows, last_from = excluded.last_from,
       newest_at = greatest(v.newest_at, excluded.newest_at)`,
    [volume, account, rows, agedFrom],
  );
}

/** Returns the numbers of a merchant's volumes that have a file since this time. */
export async function findVolumes(
  client: Pick<Transaction['client'], 'query'>,
  account: string,
  since: Date,
): Promise<number[]> {
  const { rows } = await client.query<{ volume: number }>(
    'SELECT volume FROM fingerprint_volume WHERE merchant_no = (SELECT merchant_of($1)) AND newest_at >= $2 ORDER BY volume',
    [account, since],
  );
  return rows.map((row) => row.volume);
}
