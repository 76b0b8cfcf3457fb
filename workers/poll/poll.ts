import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../src/app.ts';
import type { ResultAnswer } from '../../src/gateway/answers.ts';
import { crashPoint } from '../../src/kernel/crash-point.ts';
import { dueBatches } from '../../src/ledger/batch/due-work.ts';
import { type BatchKey, keyOf } from '../../src/ledger/engine/move.ts';
import {
  exceptBatch,
  type FittingResult,
  keepException,
  receiveResult,
  reconcileBatch,
  reconcileTogether,
  recoverException,
} from '../../src/ledger/batch/receive-result.ts';
import { type PollNote, schedulePoll } from '../../src/ledger/batch/schedule-poll.ts';
import {
  findFilesWithoutOpenBatch,
  readBatchRow,
  readBatchRows,
  readFileRow,
  readSentRows,
} from '../../src/ledger/file/read-file.ts';
import { readSentBatch, readSentBatches, type SentBatch } from '../../src/ledger/batch/read-sealed-part.ts';
import type { BatchRow, FileRow } from '../../src/ledger/engine/records.ts';
import { keptMessage } from '../../src/reconcile/kept-message.ts';
import { type Judgement, judgePlain, judgeResult } from './judge-result.ts';
import { openResult, sealResult } from '../open-original.ts';
import { note, noteEnd } from '../note-failures.ts';
import { longestRecheckMs, nextRecheckAt, recheckBatch } from './recheck.ts';
import { EXCEPTION_DELAY_MS, isStale, pollDelayMs, pollWaitMs } from './poll-times.ts';
import { ringAfter } from '../ring.ts';
import type { Stage } from '../stage.ts';
import { readResultFile } from '../../src/csv/read/read-result-file.ts';
import { findBatchesHolding } from '../../src/ledger/doubt/find-batches-holding.ts';

/** A batch whose result is asked for, and what the question came to. */
type Poll = { key: BatchKey; asked: PollResult };
type Fetched = { key: BatchKey; batch: BatchRow; bytes: Buffer };

/**
 * Asks for the results of batches. Those of a group are fetched at the same time. Those that are soon here and fit are
 * reconciled in one transaction; all others one by one, so that none harms the others.
 * @param patienceMs how long a result is waited for before those that are here are reconciled without it
 */
export function pollStage(patienceMs = 1_000): Stage<Poll> {
  return {
    name: 'poll',
    // Their results are in memory at once.
    most: { things: 20, weight: 5_000 },
    findDue: (app) => dueBatches(app.ledger, longestRecheckMs(app.settings.accounts.values())),
    thingOf: (subject) => {
      const [fileId = '', batchNo] = subject.split('/');
      return { key: { fileId, batchNo: Number(batchNo) }, asked: {} };
    },
    itemOf: ({ key }) => ({ work: 'poll', subject: `${key.fileId}/${key.batchNo}`, ...key }),
    workTogether: (app, polls) => endTogether(app, polls, patienceMs),
    // All wait for their answers at the same time.
    sideBySide: async (_app, polls) => polls.length,
    workAlone: (app, { key, asked }) => endAlone(app, key, asked),
    tell: (app, polls) =>
      tellOfEnded(
        app,
        polls.map(({ key }) => key),
      ),
  };
}

/** @returns the batches that were ended */
async function endTogether(app: App, polls: readonly Poll[], patienceMs: number): Promise<readonly Poll[]> {
  const here: (Fetched & { poll: Poll })[] = [];
  const batches = await readBatchRows(
    app.ledger,
    polls.map(({ key }) => key),
  );
  const fetch = async (poll: Poll) => {
    const { key, asked } = poll;
    const batch = batches.find((one) => one.file_id === key.fileId && one.batch_no === key.batchNo);
    if (batch?.state !== 'submitted' || !app.ledger.bound.has(batch.account) || isEarly(app, batch)) return;
    asked.batchId = batch.batch_id;
    asked.answer = app.telemetry.trace('poll', key, () => fetchResult(app, batch, asked));
    const answer = await asked.answer;
    if (answer.kind === 'done') here.push({ poll, key, batch, bytes: answer.file });
  };
  // What fails here fails again alone, where it counts.
  await Promise.race([Promise.allSettled(polls.map(fetch)), sleep(patienceMs, undefined, { ref: false })]);
  const soon = [...here];
  if (soon.length < 2) return [];
  const fitting = await findFitting(app, soon);
  if (fitting.length < 2) return [];
  await reconcileTogether(app.ledger, fitting);
  for (const { key, evidence } of fitting) {
    app.log.info({ ...key, outcomes: evidence['outcomes'] }, 'batch reconciled');
    await noteEnd(app, { work: 'poll', subject: `${key.fileId}/${key.batchNo}`, ...key });
  }
  const ended = new Set(fitting.map(({ key }) => key));
  return soon.filter(({ key }) => ended.has(key)).map(({ poll }) => poll);
}

/** Returns what is to be written of the results that are plain and fit. */
async function findFitting(app: App, here: readonly Fetched[]): Promise<FittingResult[]> {
  const batches = here.map(({ batch }) => batch);
  const sent = await readSentBatches(app.ledger, batches);
  return here.flatMap(({ key, batch, bytes }) => {
    const found = sent.find(({ file, batchNo }) => file.file_id === key.fileId && batchNo === key.batchNo);
    const judged = found && judgePlain(batch, found.file.layout!, found.sent, bytes);
    if (!judged) return [];
    const result = sealFresh(app, found.file, batch, bytes);
    const evidence = { outcomes: judged.totals, reordered: judged.reordered };
    const nextAt = nextRecheckAt(app, batch);
    return [{ key, fileNo: found.file.file_no, result, outcomes: judged.rows, evidence, nextRecheckAt: nextAt }];
  });
}

/** Rings for the outputs of files that wait for no other batch. */
async function tellOfEnded(app: App, keys: readonly BatchKey[]): Promise<void> {
  const fileIds = [...new Set(keys.map((key) => key.fileId))];
  for (const { site } of await findFilesWithoutOpenBatch(app.ledger, fileIds)) {
    await ringAfter(app, 'deliver', site);
    crashPoint('poll.deliver-asked');
  }
}

/**
 * Fetches the result of a batch and reconciles it when it is there. A result that did not fit, or was reconciled, is
 * fetched again when due. Repeatable at any time.
 */
export async function pollBatch(app: App, key: BatchKey): Promise<void> {
  await askForResult(app, key);
}

/** Does the same for a person who waits for it. @returns why the query got no answer, if it did not */
export async function askForResult(app: App, key: BatchKey): Promise<string | undefined> {
  const asked: PollResult = {};
  await endAlone(app, key, asked);
  await tellOfEnded(app, [key]);
  return asked.failure;
}

async function endAlone(app: App, key: BatchKey, asked: PollResult): Promise<void> {
  const batch = await readBatchRow(app.ledger, key);
  app.telemetry.note({ account: batch.account });
  let fresh: FreshResult | undefined;
  // A result that is here already is judged, whatever the account means by now.
  if (batch.state !== 'result_in' && !app.ledger.bound.has(batch.account)) {
    asked.failure = 'no account of the configuration means its merchant';
    return;
  }
  if (batch.state === 'reconciled') await recheckBatch(app, batch);
  if (batch.state === 'submitted' || batch.state === 'exception') {
    // Another job has queried meanwhile and set the next time; two series must not run side by side.
    if (isEarly(app, batch)) return;
    fresh = await (batch.state === 'submitted' ? askService(app, batch, asked) : askOnceMore(app, batch, asked));
  }
  const now = fresh?.received ?? (await readBatchRow(app.ledger, key));
  if (now.state === 'result_in') await reconcileResult(app, now, fresh);
}

/** What a query for a result came to: why there was no answer; the answer of an earlier one, and for which id. */
type PollResult = { failure?: string; answer?: Promise<ResultAnswer>; batchId?: string | null };

/** Clocks of several hosts differ a little; a query early by no more than this, in ms, is on time. */
const TOLERANCE_MS = 1_000;

function isEarly(app: App, batch: BatchRow): boolean {
  return pollWaitMs(app, batch) > TOLERANCE_MS;
}

/** A result that has just arrived, what to judge it by, and the batch if this process stored it. */
type FreshResult = SentBatch & { bytes: Buffer; sha256: string; received: BatchRow | undefined };

async function askService(app: App, batch: BatchRow, asked: PollResult): Promise<FreshResult | undefined> {
  const answer = await ((asked.batchId === batch.batch_id && asked.answer) || fetchResult(app, batch, asked));
  if (answer.kind === 'done') return keepResult(app, batch, answer.file);
  const ageMs = app.clock.now().getTime() - (batch.submitted_at ?? batch.state_at).getTime();
  const account = app.account(batch.account);
  const note = { ...noteOf(answer), isStale: isStale(account, ageMs) };
  await schedule(app, batch, pollDelayMs(account, batch.polls, ageMs), note);
  crashPoint('poll.asked-again');
  return undefined;
}

/** A query without an answer for this long, in ms, is already trouble; the answer may still come. */
const SILENCE_MS = 10_000;

async function fetchResult(app: App, batch: BatchRow, asked: PollResult): Promise<ResultAnswer> {
  const item = { work: 'poll', subject: batch.account, account: batch.account } as const;
  let told: Promise<void> | undefined;
  const silence = setTimeout(() => {
    told = note(app, item, { reason: `no answer for ${SILENCE_MS / 1_000} s` }, EXCEPTION_DELAY_MS);
  }, SILENCE_MS);
  const answer = await app
    .gateway(batch)
    .fetchBatchResult({ batchId: batch.batch_id! })
    .finally(() => clearTimeout(silence));
  await told;
  crashPoint('poll.answered');
  if (answer.kind === 'failed') {
    asked.failure = answer.why;
    app.log.warn(aboutOf(batch), `the result could not be fetched: ${answer.why}`);
    await note(app, item, { reason: answer.why }, EXCEPTION_DELAY_MS);
  } else await noteEnd(app, item);
  return answer;
}

/** Returns what to record. An unlisted text proves nothing, so it raises an alarm. */
function noteOf(answer: ResultAnswer): PollNote {
  if (answer.kind === 'failed') return { isSilent: true };
  return answer.kind === 'not_known' ? { alarm: keptMessage(answer.text) } : {};
}

/** Sets the time of the next query, and logs each alarm once, however often the service is queried. */
async function schedule(app: App, batch: BatchRow, delayMs: number, note: PollNote): Promise<void> {
  const news = await schedulePoll(app.ledger, keyOf(batch), delayMs, note);
  if (news?.isNewAlarm)
    app.log.error(aboutOf(batch), `the service returned an unknown text; paydrop keeps asking: ${note.alarm}`);
  if (news?.batch.state === 'exception' && batch.state === 'submitted')
    app.log.error(aboutOf(batch), `the batch needs attention: ${news.batch.reason}`);
  if (news?.isNewlyStale) app.log.error(aboutOf(batch), 'the result is overdue; paydrop keeps asking');
}

/** Seals the raw result before anything is concluded from it, so that it can be examined again. */
async function keepResult(app: App, batch: BatchRow, bytes: Buffer): Promise<FreshResult> {
  const found = await readSentBatch(app.ledger, batch);
  const result = sealFresh(app, found.file, batch, bytes);
  const received = await receiveResult(app.ledger, keyOf(batch), result);
  return { ...found, bytes, sha256: result.sha256, received };
}

function sealFresh(app: App, file: FileRow, batch: BatchRow, bytes: Buffer) {
  const result = { ...sealResult(app, file, batch.batch_no, bytes), rows: batch.rows };
  crashPoint('poll.result-sealed');
  return result;
}

/** @param fresh just arrived; counts only if the ledger has the same, not one from another process */
async function reconcileResult(app: App, batch: BatchRow, fresh: FreshResult | undefined): Promise<void> {
  const key = keyOf(batch);
  const isKept = fresh !== undefined && fresh.sha256 === batch.result_sha256;
  const { file, sent } = isKept ? fresh : await readSentBatch(app.ledger, batch);
  const bytes = isKept ? fresh.bytes : await openResult(app, file, batch.batch_no);
  const judged = judgePlain(batch, file.layout!, sent, bytes) ?? (await judge(app, file, batch, bytes));
  if (judged.kind === 'misfit') {
    const nextPollAt = new Date(app.clock.now().getTime() + EXCEPTION_DELAY_MS);
    await exceptBatch(app.ledger, key, judged.reason, judged.evidence, nextPollAt);
    app.log.error(aboutOf(batch), `the result does not match what was sent: ${judged.reason}`);
    return;
  }
  const { rows, totals, reordered } = judged;
  const evidence = { outcomes: totals, reordered };
  await reconcileBatch(app.ledger, key, file.file_no, rows, evidence, nextRecheckAt(app, batch));
  app.log.info({ ...key, outcomes: totals }, 'batch reconciled');
}

/** Fetches a result that did not fit, which may have been corrected. Only a whole result counts. */
async function askOnceMore(app: App, batch: BatchRow, asked: PollResult): Promise<undefined> {
  const key = keyOf(batch);
  const answer = await fetchResult(app, batch, asked);
  const file = await readFileRow(app.ledger, batch.file_id);
  const judged = answer.kind === 'done' ? await judge(app, file, batch, answer.file) : undefined;
  if (answer.kind === 'done' && judged?.kind === 'fits') {
    const result = sealResult(app, file, batch.batch_no, answer.file);
    const { rows, totals, reordered } = judged;
    const found = { result, rows, evidence: { outcomes: totals, reordered } };
    await recoverException(app.ledger, key, file.file_no, found, nextRecheckAt(app, batch));
    app.log.info({ ...key, outcomes: totals }, 'fetched again, the result matches; batch reconciled');
    return;
  }
  if (answer.kind === 'done' && judged?.kind === 'misfit') {
    const result = sealResult(app, file, batch.batch_no, answer.file);
    if (result.sha256 !== batch.result_sha256)
      await keepException(app.ledger, key, result, judged.reason, judged.evidence);
  }
  await schedule(app, batch, EXCEPTION_DELAY_MS, noteOf(answer));
}

/** Judges the result; if it does not fit, says whether it belongs to another batch. */
async function judge(app: App, file: FileRow, batch: BatchRow, bytes: Buffer): Promise<Judgement> {
  const sent = await readSentRows(app.ledger, file.file_no, batch);
  const judged = judgeResult(batch, file.layout!, sent, bytes);
  if (judged.kind === 'fits') return judged;
  const owner = await findOwner(app, batch, bytes);
  if (!owner) return judged;
  const reason = `it is the result of batch ${owner.batchNo} of file "${owner.name}" (${owner.fileId}); ${judged.reason}`;
  return { kind: 'misfit', reason, evidence: { ...judged.evidence, resultOf: owner } };
}

function aboutOf(batch: BatchRow): BatchKey & { batchId: string | null } {
  return { ...keyOf(batch), batchId: batch.batch_id };
}

type Owner = { fileId: string; batchNo: number; name: string };

/**
 * Finds the batch that a result which does not fit belongs to: the service mixed results up, or the batch id is wrong.
 * This saves the operator the search. Only a full match counts.
 */
export async function findOwner(app: App, batch: BatchRow, bytes: Buffer): Promise<Owner | undefined> {
  const [first] = readResultFile(bytes, { maxRows: 1 });
  if (!first) return undefined;
  // The invoice comes first or second in every layout.
  const candidates = await findBatchesHolding(app.ledger, batch, [first.cells[0] ?? '', first.cells[1] ?? '']);
  for (const other of candidates) {
    const sent = await readSentRows(app.ledger, other.file_no, other);
    if (judgeResult(other, other.layout, sent, bytes).kind === 'fits') return { ...keyOf(other), name: other.name };
  }
  return undefined;
}
