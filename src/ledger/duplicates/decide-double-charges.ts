import { mustBeOpen } from '../admission/close-ledger.ts';
import type { AuditReason, BatchKey } from '../engine/move.ts';
import { storableText } from '../engine/storable-text.ts';
import type { Transaction } from '../engine/transaction.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { type Binding, bindingOfBatch } from '../proposal/propose.ts';
import { readTwiceOf } from './read-double-charges.ts';

/** Returns the pairs of a batch, as a condition on `double_charge d` with its file in $1 and its number in $2. */
const OF_BATCH = `EXISTS (SELECT FROM file f JOIN batch b USING (file_id)
  WHERE f.file_id = $1 AND b.batch_no = $2
    AND ((d.later_no = f.file_no AND d.later_line BETWEEN b.first_line AND b.last_line)
      OR (d.earlier_no = f.file_no AND d.earlier_line BETWEEN b.first_line AND b.last_line)))`;

/**
 * Releases a batch that waits because rows of it may have been charged meanwhile: a person says that they are other
 * payments, or are to be paid again. It is sent when its turn comes. What becomes known later holds it again.
 * @throws PipelineError MOVE_REFUSED when the batch does not wait for that, or may have been sent
 */
export async function releaseCharged(tx: Transaction, key: BatchKey, because: AuditReason): Promise<void> {
  await mustBeOpen(tx);
  const { rowCount } = await tx.client.query(
    `UPDATE batch SET paid_since = NULL
     WHERE file_id = $1 AND batch_no = $2 AND paid_since IS NOT NULL AND state IN ('ready', 'refused')`,
    [key.fileId, key.batchNo],
  );
  if (rowCount === 0)
    throw new PipelineError('MOVE_REFUSED', `release batch ${key.batchNo} of file "${key.fileId}"`, NOT_WAITING);
  const { rowCount: pairs } = await tx.client.query(
    `UPDATE double_charge d SET released_at = $3, released_by = $4, release_reason = $5
     WHERE d.released_at IS NULL AND ${OF_BATCH}`,
    [key.fileId, key.batchNo, tx.at, because.actor, storableText(because.reason)],
  );
  tx.audit({ ...because, ...key, move: 'release-charged', evidence: { ...because.evidence, pairs } });
}

const NOT_WAITING = 'it does not wait because of a payment that was charged meanwhile';

/**
 * Returns what a proposal to release a batch is bound to: the batch, and what is known about its rows. Locks the batch.
 * @throws PipelineError NOT_FOUND
 */
export async function bindingOfCharged(tx: Transaction, key: BatchKey): Promise<Binding> {
  const binding = await bindingOfBatch(tx, key);
  const { rows } = await tx.client.query<{ pairs: number; newest: Date | null }>(
    `SELECT count(*) AS pairs, max(d.found_at) AS newest FROM double_charge d WHERE d.released_at IS NULL AND ${OF_BATCH}`,
    [key.fileId, key.batchNo],
  );
  return { ...binding, pairs: rows[0]!.pairs, newest: rows[0]!.newest?.toISOString() ?? null };
}

/**
 * Records that a person has looked at the payments of a batch that were perhaps made twice. They leave the lists of open
 * work, and stay on record with the reason.
 * @returns how many pairs
 * @throws PipelineError MOVE_REFUSED when there are none
 */
export async function acknowledgeTwice(tx: Transaction, key: BatchKey, because: AuditReason): Promise<number> {
  const pairs = await readTwiceOf(tx.client, key);
  if (pairs.length === 0)
    throw new PipelineError('MOVE_REFUSED', `acknowledge batch ${key.batchNo} of file "${key.fileId}"`, NONE);
  await tx.client.query(
    `UPDATE double_charge d SET acknowledged_at = $4, acknowledged_by = $5, acknowledge_reason = $6
     FROM file own, file other, unnest($1::integer[], $2::text[], $3::integer[]) AS p (line, other_id, other_line)
     WHERE own.file_id = $7 AND other.file_id = p.other_id AND d.acknowledged_at IS NULL
       AND (d.later_no, d.later_line, d.earlier_no, d.earlier_line) = (
         greatest(own.file_no, other.file_no), CASE WHEN own.file_no > other.file_no THEN p.line ELSE p.other_line END,
         least(own.file_no, other.file_no), CASE WHEN own.file_no > other.file_no THEN p.other_line ELSE p.line END)`,
    [
      pairs.map(({ row }) => row.line),
      pairs.map(({ other }) => other.fileId),
      pairs.map(({ other }) => other.line),
      tx.at,
      because.actor,
      storableText(because.reason),
      key.fileId,
    ],
  );
  const listed = pairs.map(({ row, other }) => ({ line: row.line, otherFile: other.fileId, otherLine: other.line }));
  tx.audit({ ...because, ...key, move: 'acknowledge-twice', evidence: { ...because.evidence, pairs: listed } });
  return pairs.length;
}

const NONE = 'no payment of it is on record as perhaps made twice';
