import { setTimeout as wait } from 'node:timers/promises';
import { saidAnswer } from '../../schemas/rejections.ts';
import type { App } from '../../src/app.ts';
import type { SubmitAnswer } from '../../src/gateway/answers.ts';
import { crashPoint } from '../../src/kernel/crash-point.ts';
import { reasonOf } from '../../src/kernel/errors.ts';
import { type AttemptEnd, endAttempt } from '../../src/ledger/batch/end-attempt.ts';
import { type Prepared, releaseBatch, stopAccount } from '../../src/ledger/batch/prepare-batch.ts';
import { readBatchRow } from '../../src/ledger/file/read-file.ts';
import type { BatchRow } from '../../src/ledger/engine/records.ts';
import { keyOf } from '../../src/ledger/engine/move.ts';

/**
 * Records the outcome of a call.
 *
 * If nothing was sent, the batch goes back: out of `preparing` when the intent was never declared, else out of
 * `sending`. The ledger says which, because an error at the commit leaves this process without knowing.
 * @param firstPollMs how long to wait before its result is asked for, in ms
 * @returns the batch as it is now
 */
export async function recordAnswer(
  app: App,
  batch: Prepared,
  answer: SubmitAnswer,
  firstPollMs: number,
): Promise<BatchRow> {
  crashPoint('submit.classified');
  const end = endOf(answer, firstPollMs);
  const ended = await insist(app, batch, end, async () => {
    const isReleased = end.verdict === 'not_sent' && (await releaseBatch(app.ledger, batch, end.reason));
    return isReleased ? 'released' : await endAttempt(app.ledger, batch, { ...end, serviceAt: answer.serviceAt });
  });
  if (answer.kind === 'restricted') await stopAccount(app.ledger, batch.account, answer.message);
  crashPoint('submit.recorded');
  const isMoved = typeof ended === 'object';
  report(app, batch, end, isMoved ? ended.state : ended);
  return isMoved ? ended : readBatchRow(app.ledger, keyOf(batch));
}

/** Waits before the ledger is tried again, in ms: `first`, doubling up to `longest`, until `inAll` has passed. */
const AGAIN_MS = { first: 250, longest: 30_000, inAll: 3_600_000 };

/**
 * Retries until the ledger takes the answer, which only this process knows and cannot query again. Before the first
 * wait it writes the answer to the log and the send journal, in case the process ends. If the batch was put in doubt
 * meanwhile, the ledger keeps the answer beside it.
 */
async function insist<Result>(
  app: App,
  batch: Prepared,
  end: AttemptEnd,
  record: () => Promise<Result>,
): Promise<Result> {
  const started = performance.now();
  for (let waitMs = AGAIN_MS.first; ; waitMs = Math.min(waitMs * 2, AGAIN_MS.longest)) {
    try {
      return await record();
    } catch (error) {
      if (waitMs === AGAIN_MS.first) await keepElsewhere(app, batch, end, error);
      if (app.ledger.pool.ended || performance.now() - started > AGAIN_MS.inAll) throw error;
      await wait(waitMs, undefined, { ref: false });
    }
  }
}

async function keepElsewhere(app: App, batch: Prepared, end: AttemptEnd, error: unknown): Promise<void> {
  const about = { ...keyOf(batch), account: batch.account, attempt: batch.attempt };
  const answer =
    end.verdict === 'submitted'
      ? { verdict: end.verdict, batchId: end.batchId }
      : { verdict: end.verdict, reason: end.reason };
  app.log.error({ ...about, answer }, `the ledger does not accept the answer of the service yet: ${reasonOf(error)}`);
  await app.journal
    .append({ at: app.clock.now().toISOString(), ...about, sha256: batch.body_sha256, answer })
    .catch((trouble: unknown) => app.log.error(about, `nor does the send journal: ${reasonOf(trouble)}`));
}

/** Returns the answer as the ledger keeps it. Only `submitted` and `refused` are verdicts of the service. */
function endOf(answer: SubmitAnswer, firstPollMs: number): AttemptEnd {
  switch (answer.kind) {
    case 'submitted':
      return { verdict: 'submitted', batchId: answer.batchId, firstPollMs, evidence: { text: answer.text } };
    case 'refused':
      return {
        verdict: 'refused',
        reason: `the service refused it: ${saidAnswer(answer.text, answer.code)}`,
        evidence: { text: answer.text, code: answer.code },
      };
    case 'unknown':
      return { verdict: 'unknown', reason: answer.why, evidence: { ...answer.evidence } };
    case 'not_sent':
      return { verdict: 'not_sent', reason: `nothing was sent: ${answer.why}`, evidence: {} };
    case 'withheld':
      return {
        verdict: 'not_sent',
        reason: 'nothing was sent: the intent could not be made durable, or the batch was no longer ours',
        evidence: {},
      };
    case 'restricted':
      return { verdict: 'not_sent', reason: answer.message, evidence: {} };
  }
}

/** Logs by the current state of the batch, which is not always what the service said. */
function report(app: App, batch: Prepared, end: AttemptEnd, state: string | undefined): void {
  const about = { ...keyOf(batch), account: batch.account, attempt: batch.attempt, verdict: end.verdict };
  const said = end.verdict === 'submitted' ? `the service gave it batch id ${end.batchId}` : end.reason;
  const isSubmitted = state === 'submitted' || (state === 'recorded' && end.verdict === 'submitted');
  if (isSubmitted) app.log.info(about, `batch submitted: ${said}`);
  else if (state === 'unknown') app.log.error(about, `batch in doubt, account stopped: ${said}`);
  else if (state === undefined && end.verdict !== 'not_sent')
    app.log.error(about, `the answer arrived after the batch had its verdict: ${said}`);
  else app.log.warn(about, `batch not submitted: ${said}`);
}
