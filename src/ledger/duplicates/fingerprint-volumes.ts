import type { FileRow } from '../engine/records.ts';
import type { Question } from '../engine/ask.ts';
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

/**
 * Asks for the volumes for the rows of files, one or many, that are decided together. A new volume has the number of the
 * first file in it.
 * @param databaseNow SQL of the current time
 */
export function chooseVolumes(
  databaseNow: string,
  files: readonly Pick<FileRow, 'file_no' | 'merchant_no' | 'bytes'>[],
): Question<ChosenVolume[]> {
  return {
    sql: `SELECT asked.place, ${databaseNow} AS "databaseNow", v.volume AS last, v.rows, v.last_from AS "lastFrom"
     FROM unnest($1::integer[]) WITH ORDINALITY AS asked (merchant_no, place) LEFT JOIN LATERAL
       (SELECT * FROM fingerprint_volume WHERE merchant_no = asked.merchant_no ORDER BY volume DESC LIMIT 1) v ON true
     ORDER BY asked.place`,
    values: [files.map((file) => file.merchant_no)],
    read: (rows) => {
      const begun = new Map<number, number>();
      return files.map((file, place) => {
        const found = (rows as FoundVolume[]).find((row) => row.place === place + 1)!;
        const { last, rows: held } = found;
        const clocks = {
          databaseNow: new Date(found.databaseNow),
          lastFrom: found.lastFrom === null ? null : new Date(found.lastFrom),
        };
        const isSmall = file.bytes < OWN_VOLUME_BYTES;
        if (last !== null && held < FULL_ROWS && isSmall) return { volume: last, ...clocks };
        if (!isSmall) return { volume: file.file_no, ...clocks };
        const volume = begun.get(file.merchant_no) ?? file.file_no;
        begun.set(file.merchant_no, volume);
        return { volume, ...clocks };
      });
    },
  };
}

type FoundVolume = { place: number; databaseNow: string; last: number | null; rows: number; lastFrom: string | null };

/** What a file added to its volume. */
export type Added = { file: Pick<FileRow, 'merchant_no'>; volume: number; rows: number; agedFrom: Date };

/** Records what files added to their volumes, in their order. Searches include it once the transaction ends. */
export async function noteVolumes({ client }: Pick<Transaction, 'client'>, added: readonly Added[]): Promise<void> {
  if (added.length === 0) return;
  await client.query(
    `INSERT INTO fingerprint_volume AS v (volume, merchant_no, rows, newest_at, last_from)
       SELECT volume, merchant_no, sum(rows), max(aged_from), (array_agg(aged_from ORDER BY place DESC))[1]
       FROM unnest($1::bigint[], $2::integer[], $3::bigint[], $4::timestamptz[]) WITH ORDINALITY
         AS added (volume, merchant_no, rows, aged_from, place)
       GROUP BY volume, merchant_no ORDER BY volume
     ON CONFLICT (volume) DO UPDATE SET rows = v.rows + excluded.rows, last_from = excluded.last_from,
       newest_at = greatest(v.newest_at, excluded.newest_at)`,
    [
      added.map(({ volume }) => volume),
      added.map(({ file }) => file.merchant_no),
      added.map(({ rows }) => rows),
      added.map(({ agedFrom }) => agedFrom),
    ],
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
