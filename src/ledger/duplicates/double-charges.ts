import type { BatchState } from '../../../schemas/lifecycle.ts';
import { counted } from '../../kernel/counted.ts';
import { groupBy } from '../../kernel/group-by.ts';
import { IS_OPEN, isUnsent } from '../batch/conditions.ts';
import type { BatchKey } from '../engine/move.ts';
import { storableText } from '../engine/storable-text.ts';
import type { Transaction } from '../engine/transaction.ts';
import { lockDecisions } from './find-duplicate.ts';
import { findPairs, type Pair } from './find-pairs.ts';

/** Rows of one file that were charged, or may have been, and how that became known. */
export type Learned = {
  account: string;
  fileNo: number;
  fileId: string;
  lines: readonly number[];
  /** In words for a person, such as "the result was asked for again". */
  source: string;
  actor: string;
};

/**
 * Compares rows that were charged, as is known only now, with the rows of all other files of the account. A batch with
 * such a row that is not sent does not leave until a person cancels or releases it. If it is too late, the pair is
 * recorded, and stands among the payments perhaps made twice.
 *
 * Call it in the transaction that records the knowledge, before that transaction locks a batch. No file can slip
 * through: intake compares and decides under the same lock, so it either sees the new outcome or is seen here. No send
 * can slip through: it updates the row of its batch, as this does, and whichever comes second sees the first.
 */
export async function learnCharged(tx: Transaction, learned: Learned): Promise<void> {
  if (learned.lines.length === 0) return;
  await lockDecisions(tx, learned.account);
  await recordPairs(tx, learned, await findPairs(tx, learned));
}

/** What a whole batch is learned from. */
type BatchLearned = Pick<Learned, 'source' | 'actor'>;

/**
 * Does the same for all rows of a batch that may have reached the service, or of all batches of its file if the ledger
 * has no such batch.
 */
export async function learnBatch(tx: Transaction, key: BatchKey, { source, actor }: BatchLearned): Promise<void> {
  const { rows } = await tx.client.query<{ account: string; file_no: number; lines: number[] }>(
    `SELECT f.account, f.file_no, array_agg(r.line ORDER BY r.line) AS lines
     FROM file f JOIN batch b USING (file_id)
     JOIN payment_row r ON r.file_no = f.file_no AND r.line BETWEEN b.first_line AND b.last_line AND r.batch_no = b.batch_no
     WHERE f.file_id = $1 AND (b.batch_no = $2
       OR NOT EXISTS (SELECT FROM batch WHERE batch.file_id = $1 AND batch.batch_no = $2))
     GROUP BY f.account, f.file_no`,
    [key.fileId, key.batchNo],
  );
  const [own] = rows;
  if (own)
    await learnCharged(tx, { ...key, account: own.account, fileNo: own.file_no, lines: own.lines, source, actor });
}

/**
 * Takes the lock of `learnCharged` for the account of a batch. A transaction that locks a batch takes it before that:
 * another one that has it may wait for the batch.
 */
export async function lockDecisionsOf(tx: Transaction, { fileId }: Pick<BatchKey, 'fileId'>): Promise<void> {
  const { rows } = await tx.client.query<{ account: string }>('SELECT account FROM file WHERE file_id = $1', [fileId]);
  if (rows[0]) await lockDecisions(tx, rows[0].account);
}

/** Records pairs, holds their open batches, and writes an audit link for each batch. */
export async function recordPairs(
  tx: Transaction,
  learned: Omit<Learned, 'lines'>,
  pairs: readonly Pair[],
): Promise<void> {
  if (pairs.length === 0) return;
  const { account, fileNo, source } = learned;
  await tx.client.query(
    `INSERT INTO double_charge AS d (later_no, later_line, earlier_no, earlier_line, account, is_same, source, found_at)
     SELECT greatest($1, other_no), CASE WHEN $1 > other_no THEN line ELSE other_line END,
            least($1, other_no), CASE WHEN $1 > other_no THEN other_line ELSE line END, $2, is_same, $3, $4
     FROM unnest($5::integer[], $6::bigint[], $7::integer[], $8::boolean[]) AS p (line, other_no, other_line, is_same)
     ORDER BY 1, 2, 3, 4
     ON CONFLICT (later_no, later_line, earlier_no, earlier_line) DO UPDATE
       SET source = excluded.source, found_at = excluded.found_at,
           released_at = NULL, released_by = NULL, release_reason = NULL,
           acknowledged_at = NULL, acknowledged_by = NULL, acknowledge_reason = NULL`,
    [
      fileNo,
      account,
      storableText(source),
      tx.at,
      pairs.map(({ line }) => line),
      pairs.map(({ otherNo }) => otherNo),
      pairs.map(({ otherLine }) => otherLine),
      pairs.map(({ isSame }) => isSame),
    ],
  );
  const ofBatches = [...groupBy(pairs, ({ otherId, otherBatchNo }) => `${otherId} ${otherBatchNo}`).values()];
  const held = await holdBatches(
    tx,
    ofBatches.map(([first]) => ({ fileId: first!.otherId, batchNo: first!.otherBatchNo })),
  );
  for (const own of ofBatches) auditBatch(tx, learned, own, held);
}

function auditBatch(
  tx: Transaction,
  { actor, source, fileId }: Omit<Learned, 'lines'>,
  pairs: readonly Pair[],
  held: ReadonlyMap<string, BatchState>,
): void {
  const { otherId, otherBatchNo: batchNo, otherState } = pairs[0]!;
  const state = held.get(`${otherId}/${batchNo}`) ?? otherState;
  const rows = counted(pairs.length, 'row');
  const evidence = {
    chargedIn: fileId,
    rows: pairs.length,
    pairs: pairs.slice(0, MOST_LISTED).map(({ line, otherLine }) => ({ line: otherLine, chargedLine: line })),
    source,
    state,
  };
  const isHeld = isUnsent(state);
  const reason = isHeld
    ? `${rows} of it may have been charged already, in file ${fileId}: ${source}`
    : `${rows} of it may have been charged twice, also in file ${fileId}: ${source}`;
  tx.audit({ fileId: otherId, batchNo, actor, move: isHeld ? 'hold-charged' : 'find-double', reason, evidence });
}

/** A link of the audit trail stays readable; the table has all pairs. */
const MOST_LISTED = 50;

/**
 * Keeps open batches from being sent. Also those that are being sent or are in doubt: they may come back to be sent again.
 * @returns their states, by batch. A batch that was being sent is looked at only after its send is on record.
 */
async function holdBatches(tx: Transaction, keys: readonly BatchKey[]): Promise<ReadonlyMap<string, BatchState>> {
  const { rows } = await tx.client.query<{ file_id: string; batch_no: number; state: BatchState }>(
    `WITH wanted AS (
       SELECT b.file_id, b.batch_no FROM batch b JOIN unnest($1::text[], $2::integer[]) AS k (file_id, batch_no) USING (file_id, batch_no)
       WHERE b.${IS_OPEN} ORDER BY b.file_id, b.batch_no FOR NO KEY UPDATE OF b)
     UPDATE batch SET paid_since = coalesce(batch.paid_since, $3) FROM wanted
     WHERE batch.file_id = wanted.file_id AND batch.batch_no = wanted.batch_no AND batch.${IS_OPEN}
     RETURNING batch.file_id, batch.batch_no, batch.state`,
    [keys.map(({ fileId }) => fileId), keys.map(({ batchNo }) => batchNo), tx.at],
  );
  return new Map(rows.map((row) => [`${row.file_id}/${row.batch_no}`, row.state]));
}
