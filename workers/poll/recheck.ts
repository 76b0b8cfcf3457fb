import type { App } from '../../src/app.ts';
import type { Account } from '../../src/config/config.ts';
import { formatInZone } from '../../src/calendar/zone-time.ts';
import { changeOutcomes } from '../../src/ledger/row/change-outcomes.ts';
import { endRecheck, keepLaterResult, laterPart, takeRecheck } from '../../src/ledger/batch/schedule-poll.ts';
import { readFileRow, readSentRows } from '../../src/ledger/file/read-file.ts';
import { keyOf } from '../../src/ledger/engine/move.ts';
import type { BatchRow, FileRow } from '../../src/ledger/engine/records.ts';
import { transact } from '../../src/ledger/engine/transaction.ts';
import { judgeResult, type Judgement } from './judge-result.ts';
import { sealResult } from '../open-original.ts';

/** Wait in ms before a retry when the service did not answer or the worker died. */
const RETRY_MS = 3_600_000;

/**
 * Fetches the result of a reconciled batch again when due. A row with another outcome gets a correction; the first
 * outcome and the delivered files stay. A result that does not fit changes nothing.
 */
export async function recheckBatch(app: App, found: BatchRow): Promise<void> {
  const batch = await takeRecheck(app.ledger, keyOf(found), RETRY_MS, longestRecheckMs([app.account(found.account)]));
  if (!batch) return;
  const about = { ...keyOf(batch), batchId: batch.batch_id };
  const answer = await app.gateway(batch).fetchBatchResult({ batchId: batch.batch_id! });
  switch (answer.kind) {
    case 'done':
      await compare(app, batch, answer.file);
      break;
    case 'running':
    case 'not_known':
      app.log.error(about, `a result that was available has disappeared: ${answer.text}`);
      break;
    case 'failed':
      app.log.warn(about, `the result could not be fetched again: ${answer.why}`);
      // Due again after `RETRY_MS`, while a retry still makes sense.
      if (isWithinReach(app, batch)) return;
  }
  await endRecheck(app.ledger, batch, nextRecheckAt(app, batch, batch.state_at));
}

/**
 * Returns the next time after now to fetch a result again; null when there is none. Times missed while nothing ran or a
 * clock was wrong are made up for, with the same waits between them.
 */
export function nextRecheckAt(
  app: App,
  batch: Pick<BatchRow, 'account' | 'rechecks'>,
  since = app.clock.now(),
): Date | null {
  const nowMs = app.clock.now().getTime();
  const afterMs = app.account(batch.account).recheck.afterMs.toSorted((one, other) => one - other);
  const coming = afterMs.find((ms) => since.getTime() + ms > nowMs);
  if (coming !== undefined && since.getTime() <= nowMs) return new Date(since.getTime() + coming);
  const next = afterMs[batch.rechecks + 1];
  return next === undefined ? null : new Date(nowMs + next - afterMs[batch.rechecks]!);
}

/** Returns the longest wait before a result of these accounts is fetched again, in ms. */
export function longestRecheckMs(accounts: Iterable<Pick<Account, 'recheck'>>): number {
  return Math.max(RETRY_MS, ...[...accounts].flatMap(({ recheck }) => recheck.afterMs));
}

/** How long after the last recheck a silent service is still queried, in ms. */
const REACH_MS = 7 * 86_400_000;

function isWithinReach(app: App, batch: BatchRow): boolean {
  const lastMs = Math.max(0, ...app.account(batch.account).recheck.afterMs);
  return app.clock.now().getTime() < batch.state_at.getTime() + lastMs + REACH_MS;
}

async function compare(app: App, batch: BatchRow, bytes: Buffer): Promise<void> {
  const file = await readFileRow(app.ledger, batch.file_id);
  const sent = await readSentRows(app.ledger, file.file_no, batch);
  const judged = judgeResult(batch, file.layout!, sent, bytes);
  if (judged.kind === 'misfit') return alarm(app, file, batch, bytes, judged);
  const { timeZone } = app.account(batch.account);
  const source = `batch ${batch.batch_id} asked for again on ${formatInZone(app.clock.now(), timeZone)}`;
  const by = { actor: 'worker:poll', reason: 'the service gives other outcomes than before', source };
  const key = keyOf(batch);
  const correction = await transact(app.ledger, (tx) => changeOutcomes(tx, key, judged.rows, by));
  if (!correction) return;
  await keepLaterResult(app.ledger, batch, sealResult(app, file, batch.batch_no, bytes, laterPart(batch)).sealed);
  app.log.warn({ ...key, ...correction }, 'outcomes have changed; a correction follows');
}

async function alarm(
  app: App,
  file: FileRow,
  batch: BatchRow,
  bytes: Buffer,
  { reason, evidence }: Judgement & { kind: 'misfit' },
): Promise<void> {
  const { sealed, sha256 } = sealResult(app, file, batch.batch_no, bytes, laterPart(batch));
  const says = `fetched again, the result no longer matches; nothing is changed: ${reason}`;
  await keepLaterResult(app.ledger, batch, sealed, { reason: says, evidence: { ...evidence, sha256 } });
  app.log.error({ ...keyOf(batch), batchId: batch.batch_id }, says);
}
