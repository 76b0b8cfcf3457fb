import { FOLDER_OPERATIONS } from '../schemas/operations.ts';
import type { App } from '../src/app.ts';
import { readCanonical } from '../src/csv/read-canonical.ts';
import type { SubmitAnswer } from '../src/gateway/answers.ts';
import { PipelineError, reasonOf } from '../src/kernel/errors.ts';
import { sha256Of } from '../src/kernel/hash.ts';
import { lastFour } from '../src/kernel/mask.ts';
import { type AttemptEnd, endAttempt } from '../src/ledger/moves/end-attempt.ts';
import type { BatchKey } from '../src/ledger/moves/move.ts';
import { type Prepared, prepareBatch, releaseBatch, stopAccount } from '../src/ledger/moves/prepare-batch.ts';
import { sendBatch } from '../src/ledger/moves/send-batch.ts';
import { readBatchRow, readFileRow, readSealedPart, readSentRows } from '../src/ledger/queries/read-file.ts';
import { openBytes } from '../src/vault/seal.ts';
import { openFileKey } from './open-original.ts';
import { bodyPurpose } from './store-rows.ts';
import { askToPoll, askToSubmit, wakeAccount } from './wake.ts';

/**
 * Sends one batch, at most once: ready -> preparing -> sending -> submitted | refused | unknown, or back to ready when
 * it is proven that no byte left. An answer that is not clear is never followed by another send.
 */
export async function submitBatch(app: App, key: BatchKey): Promise<void> {
  const { account: name } = await readBatchRow(app.ledger, key);
  const account = app.account(name);
  const batch = await prepareBatch(app.ledger, key, account.leaseMs);
  if (!batch) return;
  const body = await openBody(app, batch);
  if (!body) return;
  await recordAnswer(app, batch, await send(app, batch, body));
}

/** The bytes to send, proven to be the rows of the ledger (H5), or nothing: then the account stops. */
async function openBody(app: App, batch: Prepared): Promise<Buffer | undefined> {
  try {
    const file = await readFileRow(app.ledger, batch.file_id);
    const sealed = await readSealedPart(app.ledger, keyOf(batch), 'body');
    const body = openBytes(openFileKey(app, file), bodyPurpose(batch.batch_no), sealed);
    const rows = readCanonical(body, file.layout!);
    const kept = await readSentRows(app.ledger, file.file_no, batch.batch_no);
    const isSame =
      sha256Of(body) === batch.body_sha256 &&
      rows.length === kept.length &&
      kept.every((row, index) => {
        const sent = rows[index]!;
        return (
          sent.invoice === row.invoice &&
          sent.customerCode === row.customerCode &&
          sent.amountCents === row.amountCents &&
          lastFour(sent.number) === row.lastFour
        );
      });
    if (isSame) return body;
    throw new PipelineError('BODY_MISMATCH', `send batch ${batch.batch_no} of file "${batch.file_id}"`);
  } catch (error) {
    const reason = error instanceof PipelineError ? error.message : 'the body of a batch cannot be read';
    await releaseBatch(app.ledger, batch, reason);
    if (error instanceof PipelineError && STOPPING.has(error.code))
      await stopAccount(app.ledger, batch.account, `batch ${batch.batch_no} of file "${batch.file_id}": ${reason}`);
    throw error;
  }
}

/** Faults of the data, which no waiting mends; a database that was away for a moment is none. */
const STOPPING: ReadonlySet<string> = new Set(['BODY_MISMATCH', 'SEAL_BROKEN', 'MASTER_KEY_WRONG', 'NOT_FOUND']);

/**
 * Calls the service. `beforeFirstByte` is the point of no return: when it says yes, the intent is on disk in the ledger
 * and in the journal.
 */
async function send(app: App, batch: Prepared, body: Buffer): Promise<SubmitAnswer> {
  const { operation } = FOLDER_OPERATIONS[batch.operation];
  let mayHaveLeft = 0;
  try {
    return await app.gateway(batch.account).submitBatch({
      operation,
      body,
      beforeFirstByte: async ({ url, requestBytes }) => {
        if (!(await declareIntent(app, batch, { host: new URL(url).host, requestBytes }))) return false;
        mayHaveLeft = requestBytes;
        return true;
      },
    });
  } catch (error) {
    // Only our own messages are repeated: that of another may hold the request.
    const why = error instanceof PipelineError ? error.message : undefined;
    if (mayHaveLeft === 0) return { kind: 'not_sent', why: why ?? 'the call could not be prepared' };
    // After the yes, only the gateway can say that no byte left; an error says nothing.
    return { kind: 'unknown', why: why ?? 'the call broke off', evidence: { bytesWritten: mayHaveLeft, bytesRead: 0 } };
  }
}

/** @returns whether the intent is on disk in both places; without that nothing may leave */
async function declareIntent(
  app: App,
  batch: Prepared,
  call: { host: string; requestBytes: number },
): Promise<boolean> {
  try {
    if (!(await sendBatch(app.ledger, batch, call))) return false;
    await writeJournal(app, batch);
    return true;
  } catch (error) {
    app.log.error(keyOf(batch), `the intent to send could not be made durable: ${reasonOf(error)}`);
    return false;
  }
}

async function writeJournal(app: App, batch: Prepared): Promise<void> {
  await app.journal.append({
    at: app.clock.now().toISOString(),
    account: batch.account,
    fileId: batch.file_id,
    batchNo: batch.batch_no,
    attempt: batch.attempt,
    sha256: batch.body_sha256,
  });
}

/**
 * Nothing sent: the batch goes back, out of `preparing` when the intent was never declared, else out of `sending`. Which
 * of the two is read from the ledger, because an error at the commit leaves this process without knowing.
 */
async function recordAnswer(app: App, batch: Prepared, answer: SubmitAnswer): Promise<void> {
  const end = endOf(app, batch, answer);
  const isReleased = end.verdict === 'not_sent' && (await releaseBatch(app.ledger, batch, end.reason));
  const state = isReleased ? 'ready' : await endAttempt(app.ledger, batch, end);
  if (answer.kind === 'restricted') await stopAccount(app.ledger, batch.account, answer.message);
  report(app, batch, end, state);
  await goOn(app, batch);
}

/** What happens next follows from the state that the batch is in now, whoever put it there. */
async function goOn(app: App, batch: Prepared): Promise<void> {
  const now = await readBatchRow(app.ledger, keyOf(batch));
  if (now.state === 'submitted') await askToPoll(app, now);
  if (now.state === 'ready') {
    const delayMs = Math.max(0, (now.not_before?.getTime() ?? 0) - app.clock.now().getTime());
    await askToSubmit(app, keyOf(batch), delayMs);
  }
  await wakeAccount(app, batch.account);
}

/** The answer as the ledger keeps it. Only `submitted` and `refused` are verdicts of the service. */
function endOf(app: App, batch: Prepared, answer: SubmitAnswer): AttemptEnd {
  switch (answer.kind) {
    case 'submitted': {
      const { firstMs } = app.account(batch.account).poll;
      return { verdict: 'submitted', batchId: answer.batchId, firstPollMs: firstMs, evidence: { text: answer.text } };
    }
    case 'refused':
      return {
        verdict: 'refused',
        reason: `the service refused it: ${answer.text}`,
        evidence: { text: answer.text, code: answer.code },
      };
    case 'unknown':
      return { verdict: 'unknown', reason: answer.why, evidence: { ...answer.evidence } };
    case 'not_sent':
      return { verdict: 'not_sent', reason: `nothing was sent: ${answer.why}`, evidence: {} };
    case 'withheld':
      return {
        verdict: 'not_sent',
        reason: 'nothing was sent: the intent could not be made durable, or the batch was no longer in our hands',
        evidence: {},
      };
    case 'restricted':
      return { verdict: 'not_sent', reason: answer.message, evidence: {} };
  }
}

/** Told by the state that the batch has now, which is not always what the service said. */
function report(app: App, batch: Prepared, end: AttemptEnd, state: string | undefined): void {
  const about = { ...keyOf(batch), account: batch.account, attempt: batch.attempt, verdict: end.verdict };
  const said = end.verdict === 'submitted' ? `the service gave it batch id ${end.batchId}` : end.reason;
  if (state === 'submitted') app.log.info(about, `batch submitted: ${said}`);
  else if (state === 'unknown') app.log.error(about, `batch in doubt, account stopped: ${said}`);
  else if (state === undefined && end.verdict !== 'not_sent')
    app.log.error(about, `the answer came when the batch had a verdict already: ${said}`);
  else app.log.warn(about, `batch not submitted: ${said}`);
}

function keyOf(batch: Prepared): BatchKey {
  return { fileId: batch.file_id, batchNo: batch.batch_no };
}
