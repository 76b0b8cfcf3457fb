import { setTimeout as wait } from 'node:timers/promises';
import type { BatchState } from '../../schemas/lifecycle.ts';
import { saidAnswer } from '../../schemas/rejections.ts';
import type { App } from '../../src/app.ts';
import { reasonOf } from '../../src/kernel/errors.ts';
import { type Call, type CallEnd, endCall, type Ended, stateAfter } from '../../src/ledger/batch/commit-send.ts';
import { keyOf } from '../../src/ledger/engine/move.ts';
import { readBatchRow } from '../../src/ledger/file/read-file.ts';
import type { CallAnswer, EndBefore } from './open-call.ts';

/**
 * Records the end of a call by itself, without a next one.
 *
 * If nothing was sent, the batch waits longer, whether or not the intent was declared. The ledger says which, because an
 * error at the commit leaves this process without knowing.
 * @returns the state of the batch as it is now
 */
export async function recordAnswer(app: App, { call, end }: EndBefore): Promise<BatchState> {
  const ended = await insist(app, call, end, () => endCall(app.ledger, call, end));
  return report(app, { call, end }, ended);
}

/** Waits before the ledger is tried again, in ms: `first`, doubling up to `longest`, until `inAll` has passed. */
const AGAIN_MS = { first: 250, longest: 30_000, inAll: 3_600_000 };

/**
 * Retries until the ledger takes the answer, which only this process knows and cannot query again, or the process stops.
 * Before the first wait it writes the answer to the log and the send journal, where a person who resolves the doubt finds it.
 * If the batch was put in doubt meanwhile, the ledger keeps the answer beside it.
 */
async function insist<Result>(app: App, batch: Call, end: CallEnd, record: () => Promise<Result>): Promise<Result> {
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

async function keepElsewhere(app: App, batch: Call, end: CallEnd, error: unknown): Promise<void> {
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
export function endOf(answer: Exclude<CallAnswer, { kind: 'withheld' }>, firstPollMs: number): CallEnd {
  const { serviceAt } = answer;
  switch (answer.kind) {
    case 'submitted':
      return { verdict: 'submitted', batchId: answer.batchId, firstPollMs, evidence: { text: answer.text }, serviceAt };
    case 'refused':
      return {
        verdict: 'refused',
        reason: `the service refused it: ${saidAnswer(answer.text, answer.code)}`,
        evidence: { text: answer.text, code: answer.code },
        serviceAt,
      };
    case 'unknown':
      return { verdict: 'unknown', reason: answer.why, evidence: { ...answer.evidence }, serviceAt };
    case 'not_sent':
      return { verdict: 'not_sent', reason: `nothing was sent: ${answer.why}`, evidence: {}, serviceAt };
    case 'unsure':
      return { verdict: 'not_sent', reason: `nothing was sent: ${answer.why}`, evidence: {}, isNoTry: true };
    case 'restricted':
      return { verdict: 'not_sent', reason: answer.message, evidence: {}, serviceAt };
  }
}

/**
 * Logs by the current state of the batch, which is not always what the service said.
 * @returns that state
 */
export async function report(app: App, { call, end }: EndBefore, ended: Ended): Promise<BatchState> {
  const state = stateIn(end, ended) ?? (await readBatchRow(app.ledger, keyOf(call))).state;
  const about = { ...keyOf(call), account: call.account, attempt: call.attempt, verdict: end.verdict };
  const said = end.verdict === 'submitted' ? `the service gave it batch id ${end.batchId}` : end.reason;
  if (ended !== 'late' && state === 'submitted') app.log.info(about, `batch submitted: ${said}`);
  else if (ended !== 'late' && state === 'unknown') app.log.error(about, `batch in doubt, account stopped: ${said}`);
  else if (ended === 'late' && end.verdict !== 'not_sent')
    app.log.error(about, `the answer arrived after the batch had its verdict: ${said}`);
  else app.log.warn(about, `batch not submitted: ${said}`);
  return state;
}

function stateIn(end: CallEnd, ended: Ended): BatchState | undefined {
  if (ended === 'moved') return stateAfter(end);
  return ended === 'doubted' ? 'unknown' : undefined;
}
