import { FOLDER_OPERATIONS } from '../../schemas/operations.ts';
import type { App } from '../../src/app.ts';
import type { SubmitAnswer } from '../../src/gateway/answers.ts';
import { crashPoint } from '../../src/kernel/crash-point.ts';
import { PipelineError, reasonOf } from '../../src/kernel/errors.ts';
import { closedAccounts, nextSendAt } from '../../src/calendar/send-window.ts';
import { dueAccounts } from '../../src/ledger/batch/due-work.ts';
import { type BatchKey, keyOf } from '../../src/ledger/engine/move.ts';
import {
  LONGEST_RELEASE_MS,
  prepareBatch,
  type Prepared,
  releaseBatch,
  stopAccount,
} from '../../src/ledger/batch/prepare-batch.ts';
import { boundOf } from '../../src/ledger/merchant/bound-accounts.ts';
import { sendBatch } from '../../src/ledger/batch/send-batch.ts';
import { readBatchRow } from '../../src/ledger/file/read-file.ts';
import type { BatchRow } from '../../src/ledger/engine/records.ts';
import { firstPollMs } from '../poll/poll-times.ts';
import { recordAnswer } from './record-answer.ts';
import { admitHere, askAgainWhenClosed } from '../admit-here.ts';
import { lookAhead } from './look-ahead.ts';
import { type Body, type BodyAhead, isBodyOf, openAhead, readBody } from './read-body.ts';
import { noteServiceTime } from '../../src/ledger/batch/end-attempt.ts';
import { describeFailure } from '../../src/queue/safe-failure.ts';
import { note, noteEnd, noting } from '../note-failures.ts';
import { ringAfter, ringNowAndThen } from '../ring.ts';
import { eachAlone, type Stage } from '../stage.ts';
import { findNext, mayBeSent } from './find-next.ts';

/** How long an account keeps a hand, in ms. With a slow service that is one call. */
const SLICE_MS = 1_000;

/**
 * Sends the batches of accounts, one call of an account at a time. Each account has a time slice, so that none keeps the
 * others waiting; those that waited longest come first.
 * @param sliceMs for tests
 */
export function submitStage(sliceMs = SLICE_MS): Stage<{ account: string }> {
  const servedAt = new Map<string, number>();
  return {
    name: 'submit',
    most: { things: 1, weight: 1 },
    isRepeated: true,
    notesItself: true,
    findDue: (app) => {
      const now = app.clock.now();
      const waited = (account: string) => servedAt.get(account) ?? 0;
      const open = [...app.settings.accounts.keys()]
        .filter((account) => mayBeSent(app, account))
        .toSorted((one, other) => waited(one) - waited(other));
      const closed = closedAccounts(app.settings.accounts.values(), now);
      return dueAccounts(
        app.ledger,
        open,
        closed.flatMap((name) => nextSendAt(app.account(name), now) ?? []),
      );
    },
    thingOf: (account) => ({ account }),
    itemOf: ({ account }) => ({ work: 'submit', subject: account, account }),
    work: eachAlone(async (app, { account }, stop) => {
      servedAt.set(account, performance.now());
      return sendSome(app, account, stop, sliceMs);
    }),
    tell: (app) => ringAfter(app, 'poll'),
  };
}

/**
 * Sends batches of an account for a time slice. Meanwhile the next body is opened.
 * @param stop ends it after the call in progress; no call begins after it
 * @returns `later` when nothing could be tried
 */
async function sendSome(app: App, account: string, stop: AbortSignal, sliceMs: number): Promise<'later' | void> {
  const began = performance.now();
  const isOver = () => stop.aborted || performance.now() - began >= sliceMs;
  const polls = ringNowAndThen(app, 'poll');
  let ahead: BodyAhead | undefined;
  let hasTried = false;
  let next = await findNext(app, account);
  while (next && !stop.aborted) {
    let opening: Promise<BodyAhead | undefined> | undefined;
    const calling = () => {
      if (!isOver()) opening = openAhead(app, account);
    };
    const tried = await submitNoted(app, next, { account, ahead, calling });
    const wasGuess: boolean = next === ahead?.key;
    if (tried) hasTried = true;
    if (tried?.now.state === 'submitted') {
      await polls.more();
      crashPoint('submit.poll-asked');
    }
    if (isOver()) break;
    ahead = await opening;
    // The guess may be wrong: the next batch may have changed.
    if (tried && ahead) next = ahead.key;
    else next = tried || wasGuess ? await findNext(app, account) : undefined;
  }
  return hasTried || stop.aborted ? undefined : 'later';
}

function submitNoted(app: App, key: BatchKey, options: SubmitOptions): Promise<AttemptResult | undefined> {
  const item = { work: 'submit', subject: `${key.fileId}/${key.batchNo}`, ...key } as const;
  return noting(app, item, () => app.telemetry.trace('submit', key, () => submitAlone(app, key, options)));
}

/** Sends one batch, at most once, and rings for what it needs next. */
export async function submitBatch(app: App, key: BatchKey): Promise<void> {
  const sent = await submitAlone(app, key);
  if (!sent) return;
  if (sent.now.state === 'submitted') await ringAfter(app, 'poll');
  await ringAfter(app, 'submit');
}

/** A batch that was tried, and its current row in the ledger. */
type AttemptResult = { account: string; now: BatchRow };

type SubmitOptions = {
  account?: string | undefined;
  /** A body opened ahead, perhaps of this batch. */
  ahead?: BodyAhead | undefined;
  /** Called while the call is in progress: there is time for something else. */
  calling?: (account: string) => void;
};

/**
 * Sends one batch, at most once: ready -> preparing -> sending -> submitted | refused | unknown. It goes back to ready
 * when it is proven that no byte left. An unclear answer is never followed by another send.
 *
 * Outside the account's window nothing is prepared. The window is checked once: a call that begins in it may end after
 * it.
 * @returns undefined when nothing was tried
 */
export async function submitAlone(
  app: App,
  key: BatchKey,
  known: SubmitOptions = {},
): Promise<AttemptResult | undefined> {
  const name = known.account ?? (await readBatchRow(app.ledger, key)).account;
  app.telemetry.note({ account: name });
  // A job may be older than the configuration: its account has another meaning or is asked about by now.
  if (!app.ledger.bound.has(name)) return undefined;
  const account = app.account(name);
  if (!mayBeSent(app, name)) return undefined;
  if (!app.ledger.admitted.sender && !(await admitHere(app))) return undefined;
  const item = { work: 'submit', subject: name, account: name } as const;
  const ahead = await lookAhead(app, name);
  if (ahead.kind === 'failed') await note(app, item, { reason: ahead.why }, LONGEST_RELEASE_MS);
  if (ahead.kind !== 'clear') return undefined;
  // Before the call, so that nothing comes between its answer and the ledger.
  const firstMs = await firstPollMs(app, name);
  const batch = await prepareBatch(app.ledger, key, account.leaseMs);
  if (!batch) {
    await askAgainWhenClosed(app);
    return undefined;
  }
  const body = await openBody(app, batch, known.ahead);
  crashPoint('submit.body-opened');
  const answer = await send(app, batch, body, () => known.calling?.(name));
  const now = await recordAnswer(app, batch, answer, firstMs);
  if (answer.kind === 'unknown' && !answer.serviceAt) await noteTime(app, batch);
  if (answer.kind === 'not_sent') await note(app, item, { reason: answer.why }, LONGEST_RELEASE_MS);
  else if (answer.kind !== 'withheld') await noteEnd(app, item);
  return { account: name, now };
}

/**
 * Returns the bytes to send.
 * @throws PipelineError when they are not the rows of the ledger; the account is then stopped
 */
async function openBody(app: App, batch: Prepared, ahead: BodyAhead | undefined): Promise<Body> {
  try {
    return ahead && isBodyOf(ahead, batch) ? ahead : await readBody(app, batch);
  } catch (error) {
    const reason = error instanceof PipelineError ? error.message : 'the body of a batch cannot be read';
    await releaseBatch(app.ledger, batch, reason);
    if (error instanceof PipelineError && STOPPING.has(error.code))
      await stopAccount(app.ledger, batch.account, `batch ${batch.batch_no} of file "${batch.file_id}": ${reason}`);
    throw error;
  }
}

/** Faults of the data, which waiting does not fix; a brief database outage is none. */
const STOPPING: ReadonlySet<string> = new Set([
  'BODY_MISMATCH',
  'SEAL_BROKEN',
  'ORIGINAL_GONE',
  'MASTER_KEY_WRONG',
  'NOT_FOUND',
]);

/**
 * Calls the service. `beforeFirstByte` is the point of no return: when it resolves to true, the intent is on disk in
 * the ledger and in the journal.
 */
async function send(app: App, batch: Prepared, { body, ...marked }: Body, calling: () => void): Promise<SubmitAnswer> {
  const { operation } = FOLDER_OPERATIONS[batch.operation];
  let mayHaveLeft = 0;
  let fault: string | undefined;
  const noteFault = (why: string) => {
    app.log.error(keyOf(batch), why);
    fault = why;
  };
  try {
    const answer = await app.gateway(batch).submitBatch({
      operation,
      body,
      beforeFirstByte: async ({ url, requestBytes }) => {
        const call = { host: new URL(url).host, requestBytes };
        if (!(await declareIntent(app, { ...batch, ...marked }, call, noteFault))) return false;
        mayHaveLeft = requestBytes;
        calling();
        return true;
      },
    });
    // Losing the batch to another worker is no fault.
    return answer.kind === 'withheld' && fault !== undefined ? { kind: 'not_sent', why: fault } : answer;
  } catch (error) {
    // Repeat only paydrop's own messages: another one may hold the request.
    const why = error instanceof PipelineError ? error.message : undefined;
    if (mayHaveLeft === 0) return { kind: 'not_sent', why: why ?? 'the call could not be prepared' };
    // After that, only the gateway can say that no byte left; an error proves nothing.
    return { kind: 'unknown', why: why ?? 'the call broke off', evidence: { bytesWritten: mayHaveLeft, bytesRead: 0 } };
  }
}

/**
 * Queries the service's clock when its answer gave no time. Only by that clock can a transaction report be judged for a
 * call in doubt. The doubt is already recorded; without the time a report proves less.
 */
async function noteTime(app: App, batch: Prepared): Promise<void> {
  try {
    const at = await app.gateway(batch).askTime();
    if (at) await noteServiceTime(app.ledger, batch, at);
  } catch (error) {
    app.log.warn(keyOf(batch), `the time of the service at the call is not known: ${reasonOf(error)}`);
  }
}

/**
 * Declares the intent to send. If that takes longer than the lease, it is withdrawn: the process was stopped or the
 * database silent. By then the batch may be in doubt, and a person may be acting on that.
 * @returns whether the intent has just reached the disk in both places; without that nothing may leave
 */
async function declareIntent(
  app: App,
  batch: Declared,
  call: { host: string; requestBytes: number },
  noteFault: (why: string) => void,
): Promise<boolean> {
  const { leaseMs } = app.account(batch.account);
  const ageMs = startStopwatch(app);
  try {
    if (!(await declareInLedger(app, batch, call))) return false;
    await writeJournal(app, batch);
    // Another process of this host has reported to a ledger that knows nothing of this call.
    if (app.journal.isFenced(batch.token, batch.sender.epoch)) {
      // The ledger may be open for the epoch left behind, so this host must report to it again.
      app.ledger.admitted.sender = undefined;
      noteFault('the intent to send is withdrawn: the send journal has reported to another ledger meanwhile');
      return false;
    }
    if (ageMs() <= leaseMs) return true;
    noteFault(`the intent to send is withdrawn: it took ${ageMs()} ms to become durable`);
    return false;
  } catch (error) {
    noteFault(`the intent to send could not be made durable: ${describeFailure(error).reason}`);
    return false;
  }
}

type Declared = Prepared & Pick<Body, 'rowSet' | 'marks'>;

/**
 * The marks of the rows reach the disk while the ledger commits, so they take no time of their own. Marks of a call that
 * does not leave do no harm.
 */
async function declareInLedger(
  app: App,
  batch: Declared,
  call: { host: string; requestBytes: number },
): Promise<boolean> {
  const [declared, kept] = await Promise.allSettled([
    sendBatch(app.ledger, batch, call),
    app.journal.keepMarks(batch.token, batch.marks, app.clock.now()),
  ]);
  if (declared.status === 'rejected') throw declared.reason;
  if (declared.value && kept.status === 'rejected') throw kept.reason;
  return declared.value;
}

async function writeJournal(app: App, batch: Declared): Promise<void> {
  await app.journal.append({
    at: app.clock.now().toISOString(),
    account: batch.account,
    merchant: boundOf(app.ledger, batch.account).mark,
    fileId: batch.file_id,
    batchNo: batch.batch_no,
    attempt: batch.attempt,
    sha256: batch.body_sha256,
    call: batch.token,
    ...(batch.rowSet !== null && { rowSet: batch.rowSet }),
  });
}

/** Returns a function for the time passed, in ms. Of its two clocks, one goes on while the host sleeps. */
function startStopwatch(app: App): () => number {
  const [started, startedAt] = [performance.now(), app.clock.now().getTime()];
  return () => Math.round(Math.max(performance.now() - started, app.clock.now().getTime() - startedAt));
}
