import { maskName, maskText } from '../../kernel/mask.ts';
import type { BatchKey } from '../engine/move.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { BatchRow, FileRow } from '../engine/records.ts';

export type FoundFile = Pick<FileRow, 'file_id' | 'name' | 'account' | 'state' | 'claimed_at'>;

/**
 * Returns files by id, by its first letters (four or more) or by part of the name, newest first. The ledger masks long
 * numbers in names, so the search masks them too.
 */
export async function searchFiles(ledger: Ledger, words: string, limit: number): Promise<FoundFile[]> {
  const { rows } = await ledger.pool.query<FoundFile>(
    `SELECT file_id, name, account, state, claimed_at FROM file
     WHERE strpos(lower(name), lower($2)) > 0 OR strpos(lower(name), lower($4)) > 0 OR ($1 ~ '^[0-9a-z]{4,16}$' AND file_id LIKE $1 || '%')
     ORDER BY file_id = $1 DESC, file_no DESC LIMIT $3`,
    // Dates in names used to be masked, too.
    [words.toLowerCase(), maskName(words), limit, maskText(words)],
  );
  return rows;
}

export type FoundBatch = BatchKey & { name: string } & Pick<
    BatchRow,
    'account' | 'state' | 'rows' | 'cents' | 'submitted_at'
  >;

/** Returns the batches to which the service gave this id; two accounts may have received the same. */
export async function findBatchesById(ledger: Ledger, batchId: string): Promise<FoundBatch[]> {
  const { rows } = await ledger.pool.query<FoundBatch>(
    `SELECT b.file_id AS "fileId", b.batch_no AS "batchNo", f.name, b.account, b.state, b.rows, b.cents, b.submitted_at
     FROM batch b JOIN file f USING (file_id) WHERE b.batch_id = $1 ORDER BY f.file_no DESC LIMIT 20`,
    [batchId],
  );
  return rows;
}
