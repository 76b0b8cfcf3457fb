import type { Ledger } from '../../src/ledger/engine/open-ledger.ts';
import type { BatchRow } from '../../src/ledger/engine/records.ts';
import type { BatchKey } from '../../src/ledger/engine/move.ts';
import { commitResults, nameOf } from '../../src/ledger/batch/receive-result.ts';
import { type PollNews, type PollNote, schedulePolls } from '../../src/ledger/batch/schedule-poll.ts';
import { readBatchRow } from '../../src/ledger/file/read-file.ts';
import type { RowOutcomes } from '../../src/ledger/row/copy-rows.ts';

/** Steps of one batch towards its end, each a group of one. */

/** Keeps a result that nobody judges. @returns the batch then; undefined when it did not wait for one */
export async function receiveResult(
  ledger: Ledger,
  key: BatchKey,
  { sha256, ...arrived }: { sealed: Buffer; sha256: string; rows: number },
): Promise<BatchRow | undefined> {
  const batchId = (await readBatchRow(ledger, key)).batch_id ?? '';
  const judged = { key, fileNo: 0, sha256, arrived: { ...arrived, batchId, isLate: false } };
  const made = await commitResults(ledger, [judged]);
  return made.has(nameOf(key)) ? readBatchRow(ledger, key) : undefined;
}

/** Reconciles a batch whose result is kept. @returns whether it was made */
export async function reconcileBatch(
  ledger: Ledger,
  key: BatchKey,
  fileNo: number,
  outcomes: RowOutcomes,
  evidence: Record<string, unknown>,
  nextAt: Date | null = null,
): Promise<boolean> {
  const sha256 = (await readBatchRow(ledger, key)).result_sha256 ?? '';
  const verdict = { move: 'reconcile', outcomes, evidence, nextAt } as const;
  return (await commitResults(ledger, [{ key, fileNo, sha256, verdict }])).has(nameOf(key));
}

/** Puts a batch whose kept result does not fit before a person. @returns whether it was made */
export async function exceptBatch(
  ledger: Ledger,
  key: BatchKey,
  reason: string,
  evidence: Record<string, unknown>,
): Promise<boolean> {
  const sha256 = (await readBatchRow(ledger, key)).result_sha256 ?? '';
  const verdict = { move: 'except', reason, evidence, nextAt: null } as const;
  return (await commitResults(ledger, [{ key, fileNo: 0, sha256, verdict }])).has(nameOf(key));
}

/** Notes a question without a result. */
export async function schedulePoll(
  ledger: Ledger,
  key: BatchKey,
  delayMs: number,
  note: PollNote = {},
): Promise<PollNews | undefined> {
  return (await schedulePolls(ledger, [{ batch: await readBatchRow(ledger, key), delayMs, note }]))[0];
}
