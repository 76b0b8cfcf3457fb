import { hasCome } from './conditions.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { BatchRow } from '../engine/records.ts';
import { transact } from '../engine/transaction.ts';
import type { BatchKey } from '../engine/move.ts';

/**
 * SQL condition on `batch` for a recheck. The result file of its payment file must exist, because later findings go
 * into a correction of it. The original must exist too, because a correction needs it.
 */
export const MAY_RECHECK = `batch.state = 'reconciled' AND batch.batch_id IS NOT NULL
  AND EXISTS (SELECT 1 FROM output o WHERE o.file_id = batch.file_id AND o.kind = 'result')
  AND NOT EXISTS (SELECT 1 FROM file f WHERE f.file_id = batch.file_id AND f.shredded_at IS NOT NULL)`;

/** Longest wait before a recheck that the configuration allows, in ms. */
export const LONGEST_RECHECK_MS = 366 * 86_400_000;

/**
 * Claims a recheck that is due. Only one worker gets it. If that worker dies or cannot reach the service, it is due
 * again after `retryMs`.
 * @param longestMs longest wait before a recheck
 */
export async function takeRecheck(
  ledger: Ledger,
  key: BatchKey,
  retryMs: number,
  longestMs = LONGEST_RECHECK_MS,
): Promise<BatchRow | undefined> {
  const nowMs = ledger.clock.now().getTime();
  const { rows } = await ledger.pool.query<BatchRow>(
    `UPDATE batch SET next_recheck_at = $4
     WHERE file_id = $1 AND batch_no = $2 AND ${hasCome('next_recheck_at', '$3', longestMs)} AND ${MAY_RECHECK} RETURNING *`,
    [key.fileId, key.batchNo, new Date(nowMs), new Date(nowMs + retryMs)],
  );
  return rows[0];
}

/** Records that a recheck is done, and when the next one is due, if any. */
export async function endRecheck(ledger: Ledger, batch: BatchRow, next: Date | null): Promise<void> {
  await ledger.pool.query(
    `UPDATE batch SET rechecks = rechecks + 1, next_recheck_at = $4
     WHERE file_id = $1 AND batch_no = $2 AND rechecks = $3`,
    [batch.file_id, batch.batch_no, batch.rechecks, next],
  );
}

/** Keeps a later result sealed. The caller passes one that changed something or does not fit. */
export async function keepLaterResult(
  ledger: Ledger,
  batch: BatchRow,
  sealed: Buffer,
  alarm?: { reason: string; evidence: Record<string, unknown> },
): Promise<void> {
  const { file_id: fileId, batch_no: batchNo } = batch;
  await transact(ledger, async (tx) => {
    await tx.client.query(
      `INSERT INTO sealed_part (file_id, batch_no, part, bytes) VALUES ($1, $2, $3, $4)
       ON CONFLICT (file_id, batch_no, part) DO UPDATE SET bytes = excluded.bytes`,
      [fileId, batchNo, laterPart(batch), sealed],
    );
    if (alarm) tx.audit({ fileId, batchNo, actor: 'worker:poll', move: 'alarm', ...alarm });
  });
}

/** Returns the name of the sealed part for what this recheck brought. */
export function laterPart(batch: Pick<BatchRow, 'rechecks'>): `recheck-${number}` {
  return `recheck-${batch.rechecks + 1}`;
}
