import { columnsOf, type LayoutName } from '../schemas/layouts.ts';
import type { App } from '../src/app.ts';
import { readResultFile } from '../src/csv/read-result-file.ts';
import { PipelineError } from '../src/kernel/errors.ts';
import { sha256Of } from '../src/kernel/hash.ts';
import type { BatchKey } from '../src/ledger/moves/move.ts';
import { exceptBatch, receiveResult, reconcileBatch, schedulePoll } from '../src/ledger/moves/receive-result.ts';
import {
  hasOpenBatches,
  readBatchRow,
  readFileRow,
  readSealedPart,
  readSentRows,
} from '../src/ledger/queries/read-file.ts';
import type { BatchRow } from '../src/ledger/records.ts';
import { matchResults } from '../src/reconcile/match-results.ts';
import { reconcileRows, sumTotals } from '../src/reconcile/reconcile-rows.ts';
import { openBytes, sealBytes } from '../src/vault/seal.ts';
import { openFileKey } from './open-original.ts';
import { askToDeliver, askToPoll } from './wake.ts';

/** Purpose that the seal of a result is bound to. */
function resultPurpose(batchNo: number): string {
  return `result:${batchNo}`;
}

/** Asks the service for the result of a batch, and reconciles it when it is there. May be repeated at any time. */
export async function pollBatch(app: App, key: BatchKey): Promise<void> {
  const batch = await readBatchRow(app.ledger, key);
  if (batch.state === 'submitted') {
    // Another job has asked meanwhile and set the time of the next question; two of them would go on side by side.
    if (isEarly(app, batch)) return;
    await askService(app, batch);
  }
  const now = await readBatchRow(app.ledger, key);
  if (now.state === 'result_in') await reconcileResult(app, now);
  if (await hasOpenBatches(app.ledger, key.fileId)) return;
  await askToDeliver(app, key.fileId);
}

/** Clocks of several hosts differ a little; what is less than this before its time is on time. */
const TOLERANCE_MS = 1_000;

function isEarly(app: App, batch: BatchRow): boolean {
  return (batch.next_poll_at?.getTime() ?? 0) > app.clock.now().getTime() + TOLERANCE_MS;
}

async function askService(app: App, batch: BatchRow): Promise<void> {
  const about = { fileId: batch.file_id, batchNo: batch.batch_no, batchId: batch.batch_id };
  const answer = await app.gateway(batch.account).fetchBatchResult({ batchId: batch.batch_id! });
  switch (answer.kind) {
    case 'done':
      return keepResult(app, batch, answer.file);
    case 'running':
      return askAgain(app, batch);
    case 'not_known':
      app.log.warn(about, `the service does not know the batch: ${answer.text}`);
      return askAgain(app, batch);
    case 'failed':
      app.log.warn(about, `the result could not be asked for: ${answer.why}`);
      return askAgain(app, batch);
  }
}

/** The raw result is sealed before anything is concluded from it, so that it can be looked at again. */
async function keepResult(app: App, batch: BatchRow, result: Buffer): Promise<void> {
  const file = await readFileRow(app.ledger, batch.file_id);
  const sealed = sealBytes(openFileKey(app, file), resultPurpose(batch.batch_no), result);
  await receiveResult(app.ledger, keyOf(batch), { sealed, sha256: sha256Of(result), rows: batch.rows });
}

/** Waits grow by the account's factor, so that a slow batch is not asked for all night every ten seconds. */
async function askAgain(app: App, batch: BatchRow): Promise<void> {
  const { firstMs, factor, longestMs } = app.account(batch.account).poll;
  const delayMs = Math.min(firstMs * factor ** Math.min(batch.polls + 1, 50), longestMs);
  const next = await schedulePoll(app.ledger, keyOf(batch), delayMs);
  if (next) await askToPoll(app, next);
}

async function reconcileResult(app: App, batch: BatchRow): Promise<void> {
  const key = keyOf(batch);
  const file = await readFileRow(app.ledger, batch.file_id);
  const sealed = await readSealedPart(app.ledger, key, 'result');
  const bytes = openBytes(openFileKey(app, file), resultPurpose(batch.batch_no), sealed);
  const sent = await readSentRows(app.ledger, file.file_no, batch.batch_no);
  const results = readResult(bytes, file.layout!, sent.length);
  if (typeof results === 'string') return except(app, batch, results);
  const match = matchResults(file.layout!, sent, results);
  if (match.kind === 'mismatch') return except(app, batch, match.reason, { differences: match.differences });
  const { rows, totals } = reconcileRows(batch.operation, match.pairs);
  const sum = sumTotals(totals);
  if (sum.rows !== batch.rows || sum.cents !== batch.cents)
    return except(app, batch, 'counts and cents do not conserve');
  await reconcileBatch(app.ledger, key, file.file_no, rows, { outcomes: totals, reordered: match.reordered });
  app.log.info({ ...key, outcomes: totals }, 'batch reconciled');
}

function readResult(bytes: Buffer, layout: LayoutName, sentRows: number): ReturnType<typeof readResultFile> | string {
  try {
    return readResultFile(bytes, { maxRows: sentRows + 10, columnCount: columnsOf(layout).length });
  } catch (error) {
    if (error instanceof PipelineError) return error.message;
    return 'the result file cannot be read';
  }
}

async function except(
  app: App,
  batch: BatchRow,
  reason: string,
  evidence: Record<string, unknown> = {},
): Promise<void> {
  await exceptBatch(app.ledger, keyOf(batch), reason, evidence);
  app.log.error({ ...keyOf(batch), batchId: batch.batch_id }, `the result does not fit what was sent: ${reason}`);
}

function keyOf(batch: BatchRow): BatchKey {
  return { fileId: batch.file_id, batchNo: batch.batch_no };
}
