import type { FileRow } from '../engine/records.ts';
import type { Transaction } from '../engine/transaction.ts';

/**
 * Fingerprints of rows are kept in volumes: each is led by the number of its volume. Whoever looks for a row asks once for
 * each volume that may hold it, and what is taken in goes into one narrow place of the index, however much came before.
 */

/** Rows after which a volume is full. The more there are, the fewer volumes are asked; the fewer, the narrower is the place. */
const FULL_ROWS = 1_000_000;

/** A file of this many bytes begins a volume of its own, in which nobody then needs to look for its rows. */
const OWN_VOLUME_BYTES = 8 * 1024 * 1024;

/** Where the fingerprints of a file go, and what the clocks say: that of the database, and since when the last file is known. */
export type ChosenVolume = { volume: number; databaseNow: Date; lastFrom: Date | null };

/** The volume into which the rows of a file go; a new one has the number of the file. */
export async function chooseVolume(
  tx: Transaction,
  file: Pick<FileRow, 'file_no' | 'account' | 'bytes'>,
): Promise<ChosenVolume> {
  const { rows } = await tx.client.query<Omit<ChosenVolume, 'volume'> & { last: number | null; rows: number }>(
    `SELECT ${tx.databaseNow} AS "databaseNow", v.volume AS last, v.rows, v.last_from AS "lastFrom"
     FROM (VALUES (1)) AS always LEFT JOIN LATERAL
       (SELECT * FROM fingerprint_volume WHERE account = $1 ORDER BY volume DESC LIMIT 1) v ON true`,
    [file.account],
  );
  const { last, rows: held, ...clocks } = rows[0]!;
  const isOpen = last !== null && held < FULL_ROWS && file.bytes < OWN_VOLUME_BYTES;
  return { volume: isOpen ? last : file.file_no, ...clocks };
}

/** Notes what a file has put into its volume. From the end of the transaction on it is looked into. */
export async function noteVolume(
  tx: Transaction,
  { account }: Pick<FileRow, 'account'>,
  { volume, rows, agedFrom }: { volume: number; rows: number; agedFrom: Date },
): Promise<void> {
  await tx.client.query(
    `INSERT INTO fingerprint_volume AS v (volume, account, rows, newest_at, last_from) VALUES ($1, $2, $3, $4, $4)
     ON CONFLICT (volume) DO UPDATE SET rows = v.rows + excluded.rows, last_from = excluded.last_from,
       newest_at = greatest(v.newest_at, excluded.newest_at)`,
    [volume, account, rows, agedFrom],
  );
}

/** The volumes of an account that have a file since then, by their numbers. */
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
