import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../src/app.ts';
import type { ResultAnswer } from '../../src/gateway/answers.ts';
import { crashPoint } from '../../src/kernel/crash-point.ts';
import { PipelineError } from '../../src/kernel/errors.ts';
import { dueBatches } from '../../src/ledger/batch/due-work.ts';
import { type BatchKey, keyOf } from '../../src/ledger/engine/move.ts';
import { commitResults, type JudgedResult, nameOf, type Verdict } from '../../src/ledger/batch/receive-result.ts';
import { type Asked, type PollNote, schedulePolls } from '../../src/ledger/batch/schedule-poll.ts';
import { findFilesWithoutOpenBatch, readBatchRows, readSentRows } from '../../src/ledger/file/read-file.ts';
import { readSentBatches, type SentBatch } from '../../src/ledger/batch/read-sealed-part.ts';
import type { BatchRow, FileRow } from '../../src/ledger/engine/records.ts';
import { keptMessage } from '../../src/reconcile/kept-message.ts';
import { type Judgement, judgePlain, judgeResult, type PlainJudgement } from './judge-result.ts';
import { openResult, sealResult } from '../open-original.ts';
import { note, noteEnd } from '../note-failures.ts';
import { longestRecheckMs, nextRecheckAt, recheckBatch } from './recheck.ts';
import { EXCEPTION_DELAY_MS, firstPollMs, isStale, notKnownMs, pollDelayMs, pollWaitMs } from './poll-times.ts';
import { ringAfter } from '../ring.ts';
import type { Hand, NotEnded, Stage } from '../stage.ts';
import { readResultFile } from '../../src/csv/read/read-result-file.ts';
import { findBatchesHolding } from '../../src/ledger/doubt/find-batches-holding.ts';

/** A batch whose result is asked for, and what the question came to. */
type Poll = { key: BatchKey; asked: PollResult };

/** A result to judge: it has just come, or is in the ledger and was not judged. */
type Here = { poll: Poll; batch: BatchRow; fresh?: ResultAnswer & { kind: 'done' } };

/** An answer without a result, or with one that does not fit once more. */
type Without = { poll: Poll; batch: BatchRow; answer: ResultAnswer };

/**
 * Asks for the results of batches, all at the same time, and ends those that are here together.
 * @param patienceMs how long a result is waited for before those that are here are ended without it
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
    itemOf: ({ key }) => ({ work: 'poll', subject: nameOf(key), ...key }),
    work: (app, polls, hand) => askAndEnd(app, polls, hand, patienceMs),
    tell: (app, polls) =>
      tellOfEnded(
        app,
        polls.map(({ key }) => key),
      ),
  };
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
 * Fetches the result of a batch for a person who waits for it, and reconciles it when it is there. Repeatable at any time.
 * @returns why the query got no answer, if it did not
 */
export async function askForResult(app: App, key: BatchKey): Promise<string | undefined> {
  const poll: Poll = { key, asked: {} };
  const notEnded = await askAndEnd(app, [poll], ALONE, 0);
  const why = notEnded.get(poll);
  if (typeof why === 'object') throw why.error;
  await tellOfEnded(app, [key]);
  return poll.asked.failure;
}

const ALONE: Pick<Hand<Poll>, 'end' | 'trace'> = { end: async () => {}, trace: (_poll, work) => work() };

/** Ends what is here while the other answers are on their way. */
async function askAndEnd(
  app: App,
  polls: readonly Poll[],
  { end, trace }: Pick<Hand<Poll>, 'end' | 'trace'>,
  patienceMs: number,
): Promise<ReadonlyMap<Poll, NotEnded>> {
  const notEnded = new Map<Poll, NotEnded>();
  const batches = await readBatchRows(
    app.ledger,
    polls.map(({ key }) => key),
  );
  const under = new Set(polls);
  const here: Here[] = [];
  const without: Without[] = [];
  const ask = async (poll: Poll) => {
    try {
      const batch = batches.find((one) => one.file_id === poll.key.fileId && one.batch_no === poll.key.batchNo);
      if (!batch) throw noBatch(poll.key);
      const found = await trace(poll, () => askFor(app, poll, batch));
      if (found && 'answer' in found) without.push(found);
      else if (found) here.push(found);
    } catch (error) {
      notEnded.set(poll, { error });
    } finally {
      under.delete(poll);
    }
  };
  const asking = Promise.all(polls.map(ask));
  for (let isLast = false; !isLast; ) {
    await (patienceMs > 0 ? Promise.race([asking, sleep(patienceMs, undefined, { ref: false })]) : asking);
    isLast = under.size === 0;
    const ended = [...here, ...without].map(({ poll }) => poll);
    const { failed, unfit } = await endTogether(app, here.splice(0));
    for (const [poll, error] of failed) notEnded.set(poll, { error });
    await askAgain(app, [...without.splice(0), ...unfit]);
    if (!isLast) await end(ended.filter((poll) => !notEnded.has(poll)));
  }
  return notEnded;
}

function noBatch({ fileId, batchNo }: BatchKey): PipelineError {
  return new PipelineError('NOT_FOUND', `find batch ${batchNo} of file "${fileId}"`);
}

/** @returns undefined when nothing is left to do for it */
async function askFor(app: App, poll: Poll, batch: BatchRow): Promise<Here | Without | undefined> {
  app.telemetry.note({ account: batch.account });
  // A result that is here already is judged, whatever the account means by now.
  if (batch.state === 'result_in') return { poll, batch };
  const { asked } = poll;
  if (!app.ledger.bound.has(batch.account)) {
    asked.failure = 'no account of the configuration means its merchant';
    return undefined;
  }
  if (batch.state === 'reconciled') await recheckBatch(app, batch);
  if (batch.state !== 'submitted' && batch.state !== 'exception') return undefined;
  // Somebody else has queried meanwhile and set the next time; two series must not run side by side.
  if (isEarly(app, batch)) return undefined;
  if (asked.batchId !== batch.batch_id) {
    asked.batchId = batch.batch_id;
    asked.answer = fetchResult(app, batch, asked);
  }
  const answer = await asked.answer!;
  return answer.kind === 'done' ? { poll, batch, fresh: answer } : { poll, batch, answer };
}

/**
 * Ends the batches whose results are here, in one transaction. The raw results are sealed and kept with what is concluded
 * from them, so that they can be examined again. If nothing can be concluded from one, or what was does not hold, it is
 * kept alone, unless it is late: an earlier one is replaced only by what is concluded.
 * @returns those that failed, and those that do not fit once more
 */
async function endTogether(
  app: App,
  here: readonly Here[],
): Promise<{ failed: ReadonlyMap<Poll, unknown>; unfit: Without[] }> {
  const failed = new Map<Poll, unknown>();
  if (here.length === 0) return { failed, unfit: [] };
  const sent = await readSentBatches(
    app.ledger,
    here.map(({ batch }) => batch),
  );
  const results: JudgedResult[] = [];
  for (const one of here) {
    const { file_id: fileId, batch_no: batchNo } = one.batch;
    const found = sent.find((other) => other.file.file_id === fileId && other.batchNo === batchNo);
    try {
      results.push(await judgeHere(app, one, found, (error) => failed.set(one.poll, error)));
    } catch (error) {
      failed.set(one.poll, error);
    }
  }
  crashPoint('poll.matched');
  const made = await commitResults(app.ledger, results).catch(async (error: unknown) => {
    if (here.length > 1) throw error;
    failed.set(here[0]!.poll, error);
    return commitResults(
      app.ledger,
      results.map((result) => ({ ...result, verdict: undefined })),
    );
  });
  const unfit: Without[] = [];
  for (const { key, arrived, verdict } of results) {
    const { poll, batch, fresh } = here.find((one) => nameOf(one.poll.key) === nameOf(key))!;
    const moves = made.get(nameOf(key)) ?? [];
    const about = { ...key, outcomes: verdict?.evidence['outcomes'] };
    if (moves.includes('reconcile')) app.log.info(about, 'batch reconciled');
    if (moves.includes('recover')) app.log.info(about, 'fetched again, the result matches; batch reconciled');
    if (verdict?.move !== 'except' || failed.has(poll)) continue;
    if (moves.includes('except'))
      app.log.error(aboutOf(batch), `the result does not match what was sent: ${verdict.reason}`);
    if (arrived?.isLate && fresh) unfit.push({ poll, batch, answer: fresh });
  }
  return { failed, unfit };
}

/** @param fail receives why a result that has just come cannot be judged; it is kept all the same */
async function judgeHere(
  app: App,
  { poll: { key }, batch, fresh }: Here,
  found: SentBatch | undefined,
  fail: (error: unknown) => void,
): Promise<JudgedResult> {
  if (!found) throw new PipelineError('NOT_FOUND', `find file "${key.fileId}"`);
  const { file, sent } = found;
  const bytes = fresh?.file ?? (await openResult(app, file, batch.batch_no));
  const result = {
    key,
    fileNo: file.file_no,
    ...(fresh ? sealFresh(app, file, batch, bytes) : { sha256: batch.result_sha256! }),
  };
  try {
    const judged = judgePlain(batch, file.layout!, sent, bytes) ?? (await judge(app, file, batch, bytes));
    return { ...result, verdict: verdictOf(app, batch, judged) };
  } catch (error) {
    fail(error);
    return result;
  }
}

function verdictOf(app: App, batch: BatchRow, judged: Judgement | PlainJudgement): Verdict {
  if (judged.kind === 'misfit') {
    const nextAt = new Date(app.clock.now().getTime() + EXCEPTION_DELAY_MS);
    return { move: 'except', reason: judged.reason, evidence: judged.evidence, nextAt };
  }
  const { rows: outcomes, totals, reordered } = judged;
  return { move: 'reconcile', outcomes, evidence: { outcomes: totals, reordered }, nextAt: nextRecheckAt(app, batch) };
}

/** Sets the times of the next queries. */
async function askAgain(app: App, without: readonly Without[]): Promise<void> {
  if (without.length === 0) return;
  const asked: Asked[] = [];
  for (const one of without)
    asked.push(one.batch.state === 'exception' ? afterMisfit(one) : await whileWaiting(app, one));
  await schedule(app, asked);
  crashPoint('poll.asked-again');
}

/** A result that did not fit may have been corrected by then. */
function afterMisfit({ batch, answer }: Without): Asked {
  return { batch, delayMs: EXCEPTION_DELAY_MS, note: noteOf(answer) };
}

async function whileWaiting(app: App, { batch, answer }: Without): Promise<Asked> {
  const ageMs = app.clock.now().getTime() - (batch.submitted_at ?? batch.state_at).getTime();
  const account = app.account(batch.account);
  const note = { ...noteOf(answer), isStale: isStale(account, ageMs) };
  const first = await firstPollMs(app, batch.account);
  const isAuto = account.poll.firstMs === 'auto';
  const firstMs = answer.kind === 'not_known' && isAuto ? notKnownMs(first) : first;
  return { batch, delayMs: pollDelayMs(account, { firstMs, polls: batch.polls, ageMs }), note };
}

/** What a query for a result came to: why there was no answer; the answer of an earlier one, and for which id. */
type PollResult = { failure?: string; answer?: Promise<ResultAnswer>; batchId?: string | null };

/** Clocks of several hosts differ a little; a query early by no more than this, in ms, is on time. */
const TOLERANCE_MS = 1_000;

function isEarly(app: App, batch: BatchRow): boolean {
  return pollWaitMs(app, batch) > TOLERANCE_MS;
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

/** Sets the times of the next queries, and logs each alarm once, however often the service is queried. */
async function schedule(app: App, asked: readonly Asked[]): Promise<void> {
  const news = await schedulePolls(app.ledger, asked);
  for (const [place, { batch, note }] of asked.entries()) {
    const now = news[place];
    if (now?.isNewAlarm)
      app.log.error(aboutOf(batch), `the service returned an unknown text; paydrop keeps asking: ${note.alarm}`);
    if (now?.batch.state === 'exception' && batch.state === 'submitted')
      app.log.error(aboutOf(batch), `the batch needs attention: ${now.batch.reason}`);
    if (now?.isNewlyStale) app.log.error(aboutOf(batch), 'the result is overdue; paydrop keeps asking');
  }
}

function sealFresh(
  app: App,
  file: FileRow,
  batch: BatchRow,
  bytes: Buffer,
): Required<Pick<JudgedResult, 'sha256' | 'arrived'>> {
  const { sealed, sha256 } = sealResult(app, file, batch.batch_no, bytes);
  crashPoint('poll.result-sealed');
  const isLate = batch.state === 'exception';
  return { sha256, arrived: { batchId: batch.batch_id!, sealed, rows: batch.rows, isLate } };
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
