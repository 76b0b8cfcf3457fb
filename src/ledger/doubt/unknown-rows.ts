import type { PoolClient } from 'pg';
import type { BatchKey } from '../engine/move.ts';
import type { Transaction } from '../engine/transaction.ts';
import { lockFile } from '../row/change-outcomes.ts';
import { type Decided, decideRows } from './decide-rows.ts';

/** A row of a finished batch that may or may not have been charged. Money is integer cents. */
export type UnknownRow = {
  line: number;
  invoice: string;
  cents: number;
  code: number | null;
  /** What the service answered, or why the row is in doubt. */
  message: string;
  since: Date;
  /** Whether a user closed it; otherwise it is undecided. */
  isClosed: boolean;
};

/** Returns the rows of a finished batch whose outcome is unknown, in line order. */
export async function readUnknownRows(
  client: Pick<PoolClient, 'query'>,
  fileNo: number,
  batchNo: number,
): Promise<UnknownRow[]> {
  const { rows } = await client.query<UnknownRow>(
    `SELECT line, invoice, amount_cents AS cents, code, message, since, is_closed AS "isClosed" FROM unknown_row
     WHERE file_no = $1 AND batch_no = $2 ORDER BY line`,
    [fileNo, batchNo],
  );
  return rows;
}

/** Undecided rows of one batch. Money is integer cents. */
export type UndecidedBatch = BatchKey & { account: string; name: string; rows: number; cents: number; since: Date };

/**
 * Returns the batches with undecided rows, the longest waiting first; at most 200.
 * @param fileNo only of this file
 */
export async function listUndecided(client: Pick<PoolClient, 'query'>, fileNo?: number): Promise<UndecidedBatch[]> {
  const { rows } = await client.query<UndecidedBatch>(
    `SELECT u.file_id AS "fileId", u.batch_no AS "batchNo", u.account, f.name, count(*) AS rows,
            sum(u.amount_cents)::bigint AS cents, min(u.since) AS since
     FROM unknown_row u JOIN file f USING (file_no)
     WHERE NOT u.is_closed AND ($1::bigint IS NULL OR file_no = $1)
     GROUP BY file_no, u.file_id, u.batch_no, u.account, f.name ORDER BY min(u.since), file_no, u.batch_no LIMIT 200`,
    [fileNo ?? null],
  );
  return rows;
}

/** What the reports decide about the rows of a batch that have no known outcome. */
export type DecidedRows = Decided & {
  /** Whether the batch was finished before; then only its rows with the outcome unknown count. */
  isFinished: boolean;
};

/**
 * Decides what the transaction reports prove: about all rows of a batch in doubt, or about the unknown rows of a finished
 * one. Locks the file of the latter, so that a result that is fetched again cannot decide a row at the same time.
 * @param waitMs see `decideRows`
 */
export async function decideOpenRows(tx: Transaction, key: BatchKey, waitMs: number): Promise<DecidedRows> {
  const { rows } = await tx.client.query<{ state: string }>(
    'SELECT state FROM batch WHERE file_id = $1 AND batch_no = $2',
    [key.fileId, key.batchNo],
  );
  if (rows[0]?.state !== 'reconciled') return { ...(await decideRows(tx, key, waitMs)), isFinished: false };
  const { file_no: fileNo } = await lockFile(tx, key.fileId);
  const open = new Set((await readUnknownRows(tx.client, fileNo, key.batchNo)).map(({ line }) => line));
  const { certain, uncertain } = await decideRows(tx, key, waitMs);
  return {
    certain: certain.filter(({ line }) => open.has(line)),
    uncertain: uncertain.filter((line) => open.has(line)),
    isFinished: true,
  };
}
