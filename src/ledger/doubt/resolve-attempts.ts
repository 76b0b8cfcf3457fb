import { saidState } from '../../../schemas/shown.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { BatchRow } from '../engine/records.ts';
import type { Transaction } from '../engine/transaction.ts';
import type { BatchKey, AuditReason } from '../engine/move.ts';
import { voidProposals } from '../proposal/propose.ts';

/** How an operator resolved the attempts that ended in doubt. */
export type AttemptResolution = 'adopted' | 'not_received' | 'settled' | 'in_doubt';

/**
 * Records the resolution with every unresolved attempt of the batch, and voids open proposals about it. The attempts
 * themselves stay unchanged, so that they remain readable forever.
 */
export async function resolveAttempts(
  tx: Transaction,
  key: BatchKey,
  resolution: AttemptResolution,
  because: AuditReason,
): Promise<void> {
  await tx.client.query(
    `UPDATE attempt SET resolution = $3, resolved_at = $4, resolved_by = $5
     WHERE file_id = $1 AND batch_no = $2 AND verdict = 'unknown' AND resolution IS NULL`,
    [key.fileId, key.batchNo, resolution, tx.at, because.actor],
  );
  await voidProposals(tx, key, because);
}

/** Returns when the last call began, by the database clock; without one, when the batch entered its state. */
export async function readLastCall(tx: Transaction, key: BatchKey): Promise<Date | null> {
  const { rows } = await tx.client.query<{ at: Date | null }>(
    `SELECT coalesce(a.started_at, b.state_at) AS at FROM batch b LEFT JOIN attempt a USING (file_id, batch_no)
     WHERE b.file_id = $1 AND b.batch_no = $2 ORDER BY a.attempt DESC NULLS LAST LIMIT 1`,
    [key.fileId, key.batchNo],
  );
  return rows[0]?.at ?? null;
}

/**
 * Returns how long ago the last call of a batch began, in ms. It uses the smaller of the database's and this host's
 * answers, because one clock may have been set forward since.
 */
export async function readWaited(tx: Transaction, key: BatchKey): Promise<number> {
  const { rows } = await tx.client.query<{ waitedMs: number }>(
    `SELECT least(extract(epoch FROM ${tx.databaseNow} - coalesce(a.started_at, b.state_at)),
                  extract(epoch FROM $3::timestamptz - coalesce(a.host_at, b.state_at)))::float8 * 1000 AS "waitedMs"
     FROM batch b LEFT JOIN attempt a USING (file_id, batch_no)
     WHERE b.file_id = $1 AND b.batch_no = $2 ORDER BY a.attempt DESC NULLS LAST LIMIT 1`,
    [key.fileId, key.batchNo, tx.at],
  );
  return rows[0]?.waitedMs ?? 0;
}

/** Throws when a requested resolution did not fit the state of the batch. */
export async function mustBeResolved(
  tx: Transaction,
  row: BatchRow | undefined,
  key: BatchKey,
  action: string,
): Promise<BatchRow> {
  if (row) return row;
  const { rows } = await tx.client.query<{ state: string }>(
    'SELECT state FROM batch WHERE file_id = $1 AND batch_no = $2',
    [key.fileId, key.batchNo],
  );
  const state = rows[0]?.state;
  const why = state === undefined ? 'it is not in the ledger' : `its state is ${saidState(state)}`;
  throw new PipelineError('MOVE_REFUSED', `${action} batch ${key.batchNo} of file "${key.fileId}"`, why);
}

/** Returns the number that rows use for their file. */
export async function readFileNo(tx: Transaction, key: BatchKey): Promise<number> {
  const { rows } = await tx.client.query<{ file_no: number }>('SELECT file_no FROM file WHERE file_id = $1', [
    key.fileId,
  ]);
  return rows[0]!.file_no;
}
