import { IS_OPEN, IS_UNSENT, NO_BATCH_OPEN } from '../batch/conditions.ts';
import { mustBeOpen } from '../admission/close-ledger.ts';
import { type BatchState, type FileState } from '../../../schemas/lifecycle.ts';
import { saidState } from '../../../schemas/shown.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { BatchRow, PlainFileRow } from '../engine/records.ts';
import { type Transaction, transact } from '../engine/transaction.ts';
import { type BatchKey, type AuditReason, moveBatch, moveFile } from '../engine/move.ts';
import { voidProposals } from '../proposal/propose.ts';

/** Result of a cancel. */
export type Cancelled = {
  state: FileState;
  /** Batches that were stopped and are never sent. */
  cancelled: number[];
  /** Batches that continue, because they were sent or may have been. */
  goingOn: { batchNo: number; state: BatchState }[];
};

/**
 * Stops what was not sent of a file, including a batch that a worker is about to send. If nothing was sent, the file is
 * `cancelled`; if everything sent is final, it is `partly_cancelled`. Otherwise the rest continues, and the file
 * completes with the stopped rows as `not_sent`.
 *
 * Locks the batches first and the file second, as a send does; whichever commits first wins.
 * @throws PipelineError MOVE_REFUSED when the file is neither `accepted` nor `in_progress`, or has nothing left to stop
 */
export async function cancelFile(ledger: Ledger, fileId: string, because: AuditReason): Promise<Cancelled> {
  return transact(ledger, async (tx) => {
    await mustBeOpen(tx);
    const batches = await lockStoppable(tx, fileId);
    await lockOnItsWay(tx, fileId);
    const everything = await stillOpen(tx, fileId);
    if (everything.length > 0 && batches.length === 0) throw refusal(fileId, 'every batch was already sent');
    for (const batch of batches) await cancelOne(tx, batch, because);
    return describe(tx, fileId, batches, because);
  });
}

/**
 * Stops one batch that was not sent.
 * @throws PipelineError MOVE_REFUSED when it was sent, or may have been
 */
export async function cancelBatch(ledger: Ledger, key: BatchKey, because: AuditReason): Promise<Cancelled> {
  return transact(ledger, async (tx) => {
    await mustBeOpen(tx);
    const [batch] = await lockStoppable(tx, key.fileId, key.batchNo);
    await lockOnItsWay(tx, key.fileId);
    if (!batch) throw refusal(`${key.fileId}/${key.batchNo}`, 'the batch was sent, may have been sent, or is final');
    await cancelOne(tx, batch, because);
    return describe(tx, key.fileId, [batch], because);
  });
}

/**
 * Makes the move `cancel` or `stop` of a file after one of its batches was stopped. If no batch waits for anything any
 * more, the file ends here, and so does every proposal about it.
 * @returns the state of the file afterwards
 */
export async function endStoppedFile(tx: Transaction, fileId: string, because: AuditReason): Promise<FileState> {
  const cancelled = await moveFile(tx, 'cancel', fileId, because, { where: EVERY_BATCH_CANCELLED });
  const row = cancelled ?? (await moveFile(tx, 'stop', fileId, because, { where: NO_BATCH_OPEN }));
  if (row) await voidProposals(tx, { fileId }, because);
  return row?.state ?? (await readState(tx, fileId));
}

const EVERY_BATCH_CANCELLED = {
  sql: `NOT EXISTS (SELECT 1 FROM batch b WHERE b.file_id = file.file_id AND b.state <> 'cancelled')`,
  values: [],
};

/** Locks, until the transaction ends, the batches that can be stopped. */
async function lockStoppable(tx: Transaction, fileId: string, batchNo?: number): Promise<BatchRow[]> {
  const { rows } = await tx.client.query<BatchRow>(
    `SELECT * FROM batch WHERE file_id = $1 AND ($2::integer IS NULL OR batch_no = $2)
       AND ${IS_UNSENT} ORDER BY batch_no FOR UPDATE`,
    [fileId, batchNo ?? null],
  );
  return rows;
}

async function lockOnItsWay(tx: Transaction, fileId: string): Promise<void> {
  const { rows } = await tx.client.query<PlainFileRow>('SELECT * FROM file WHERE file_id = $1 FOR UPDATE', [fileId]);
  const state = rows[0]?.state;
  if (state === 'accepted' || state === 'in_progress') return;
  if (state === 'held')
    throw refusal(fileId, 'it is held', `Run "paydrop decline ${fileId} --reason …"; nothing in it was sent.`);
  throw refusal(fileId, state === undefined ? 'it is not in the ledger' : `its state is ${saidState(state)}`);
}

function refusal(what: string, why: string, next?: string): PipelineError {
  return new PipelineError('MOVE_REFUSED', `cancel "${what}"`, why, next === undefined ? {} : { next });
}

/**
 * Makes the move `cancel` or `withdraw` of a batch that can be stopped.
 * @returns undefined when its state is another by now
 */
export async function cancelOne(
  tx: Transaction,
  batch: Pick<BatchRow, 'file_id' | 'batch_no' | 'state'>,
  because: AuditReason,
): Promise<BatchRow | undefined> {
  const key = { fileId: batch.file_id, batchNo: batch.batch_no };
  return moveBatch(tx, batch.state === 'refused' ? 'withdraw' : 'cancel', key, because);
}

async function describe(
  tx: Transaction,
  fileId: string,
  batches: BatchRow[],
  because: AuditReason,
): Promise<Cancelled> {
  const state = await endStoppedFile(tx, fileId, because);
  return { state, cancelled: batches.map((batch) => batch.batch_no), goingOn: await stillOpen(tx, fileId) };
}

async function stillOpen(tx: Transaction, fileId: string): Promise<Cancelled['goingOn']> {
  const { rows } = await tx.client.query<Cancelled['goingOn'][number]>(
    `SELECT batch_no AS "batchNo", state FROM batch
     WHERE file_id = $1 AND ${IS_OPEN} ORDER BY batch_no`,
    [fileId],
  );
  return rows;
}

async function readState(tx: Transaction, fileId: string): Promise<FileState> {
  const { rows } = await tx.client.query<{ state: FileState }>('SELECT state FROM file WHERE file_id = $1', [fileId]);
  return rows[0]!.state;
}
