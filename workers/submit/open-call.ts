import { FOLDER_OPERATIONS } from '../../schemas/operations.ts';
import type { App } from '../../src/app.ts';
import type { SubmitAnswer } from '../../src/gateway/answers.ts';
import { crashPoint } from '../../src/kernel/crash-point.ts';
import { deferred } from '../../src/kernel/deferred.ts';
import { PipelineError } from '../../src/kernel/errors.ts';
import { type Call, type CallEnd, commitSend, type Ended } from '../../src/ledger/batch/commit-send.ts';
import { keyOf } from '../../src/ledger/engine/move.ts';
import { boundOf } from '../../src/ledger/merchant/bound-accounts.ts';
import { describeFailure } from '../../src/queue/safe-failure.ts';
import type { Body } from './read-bodies.ts';

/** The end of a call, which is committed with the declaration of the next one. */
export type EndBefore = { readonly call: Call; readonly end: CallEnd };

/**
 * A call whose connection is opened at once, even while the account's call before it is in progress. Nothing of it leaves
 * until it is let go.
 */
export type OpenCall = {
  readonly call: Call;
  /** Whether the connection stands; false when it came to nothing. */
  readonly stands: Promise<boolean>;
  /** Whether a request may be written to the connection that stands by now, or will stand. */
  isOfUse(): Promise<boolean>;
  /**
   * Declares the intent, and then sends. The end of the call before it is committed with the declaration.
   * @returns what became of that end; undefined when the commit failed, or when the connection had come to nothing
   */
  letGo(before?: EndBefore): Promise<Ended | undefined>;
  /** Closes the connection. Nothing is written of the call, in the ledger or elsewhere. */
  keepBack(): void;
  /** Whether its first byte may leave; false when it ends without. */
  readonly leaves: Promise<boolean>;
  readonly answer: Promise<CallAnswer>;
};

/**
 * `withheld`: it was kept back, or the gate was closed; nothing of it was written. `unsure`: the commit failed that was to
 * declare it with the end of the call before, so nothing of it left, and the ledger knows whether it was declared.
 */
export type CallAnswer = SubmitAnswer | { kind: 'unsure'; why: string; serviceAt?: undefined };

/** A connection that has stood longer, in ms, is not used: the service may be about to close it. */
export const LONGEST_STAND_MS = 2_000;

type Turn = { readonly before?: EndBefore | undefined } | 'kept back';

/**
 * Opens a call. Its bytes may leave once `declareIntent` resolves to true: then the intent is on disk in the ledger and in the
 * journal. If the process dies after the commit of the ledger, the batch is in doubt, whether or not a byte left.
 */
export function openCall(app: App, call: Call, body: Body): OpenCall {
  crashPoint('submit.body-opened');
  const stands = deferred<boolean>();
  const turn = deferred<Turn>();
  const leaves = deferred<boolean>();
  const ended = deferred<Ended | undefined>();
  let stoodMs: (() => number) | undefined;
  let findFault: (() => Promise<string | undefined>) | undefined;
  let hasEnded = false;
  let mayHaveLeft = 0;
  let fault: string | undefined;
  let isUnsure = false;
  const noteFault = (why: string) => {
    app.log.error(keyOf(call), why);
    fault = why;
  };
  const send = async (): Promise<CallAnswer> => {
    try {
      const answer = await app.gateway(call).submitBatch({
        operation: FOLDER_OPERATIONS[call.operation].operation,
        body: body.body,
        beforeFirstByte: async ({ url, requestBytes, ...standing }) => {
          ({ findFault } = standing);
          stoodMs = startStopwatch(app);
          stands.resolve(true);
          const given = await turn.promise;
          if (given === 'kept back') return false;
          isUnsure = given.before !== undefined;
          const to = { host: new URL(url).host, requestBytes };
          if (
            !(await declareIntent(app, call, body, to, {
              before: given.before,
              ended: (how) => {
                isUnsure &&= how === undefined;
                ended.resolve(how);
              },
              noteFault,
            }))
          )
            return false;
          mayHaveLeft = requestBytes;
          leaves.resolve(true);
          return true;
        },
      });
      // A closed gate is no fault.
      if (answer.kind !== 'withheld' || fault === undefined) return answer;
      return { kind: isUnsure ? 'unsure' : 'not_sent', why: fault };
    } catch (error) {
      // Repeat only paydrop's own messages: another one may hold the request.
      const why = error instanceof PipelineError ? error.message : undefined;
      if (mayHaveLeft === 0) return { kind: 'not_sent', why: why ?? 'the call could not be prepared' };
      // After that, only the gateway can say that no byte left; an error proves nothing.
      return {
        kind: 'unknown',
        why: why ?? 'the call broke off',
        evidence: { bytesWritten: mayHaveLeft, bytesRead: 0 },
      };
    }
  };
  const answer = send().finally(() => {
    hasEnded = true;
    stands.resolve(false);
    leaves.resolve(false);
    ended.resolve(undefined);
  });
  return {
    call,
    stands: stands.promise,
    isOfUse: async () => {
      if (hasEnded || (stoodMs?.() ?? 0) > LONGEST_STAND_MS) return false;
      return (await findFault?.()) === undefined && !hasEnded;
    },
    letGo: (before) => {
      turn.resolve({ before });
      return ended.promise;
    },
    keepBack: () => turn.resolve('kept back'),
    leaves: leaves.promise,
    answer,
  };
}

/**
 * Declares the intent to send. If that takes longer than the lease, it is withdrawn: the process was stopped or the
 * database silent. By then the batch may be in doubt, and a person may be acting on that.
 * @returns whether the intent has just reached the disk in both places; without that nothing may leave
 */
async function declareIntent(
  app: App,
  call: Call,
  body: Body,
  to: { host: string; requestBytes: number },
  {
    before,
    ended,
    noteFault,
  }: {
    before: EndBefore | undefined;
    ended: (ended: Ended | undefined) => void;
    noteFault: (why: string) => void;
  },
): Promise<boolean> {
  const { leaseMs } = app.account(call.account);
  const ageMs = startStopwatch(app);
  try {
    // The marks of the rows reach the disk while the ledger commits, so they take no time of their own. Marks of a call
    // that does not leave do no harm.
    const committing = commitSend(app.ledger, { end: before, next: { call, intent: { ...to, leaseMs } } });
    // The end of the call before waits for nothing of this one.
    committing.then(
      (made) => ended(made.ended),
      () => ended(undefined),
    );
    const [committed, kept] = await Promise.allSettled([
      committing,
      app.journal.keepMarks(call.token, body.marks, app.clock.now()),
    ]);
    if (committed.status === 'rejected') throw committed.reason;
    if (!committed.value.isDeclared) return false;
    if (kept.status === 'rejected') throw kept.reason;
    await writeJournal(app, call, body);
    // Another process of this host has reported to a ledger that knows nothing of this call.
    if (app.journal.isFenced(call.token, call.sender.epoch)) {
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

async function writeJournal(app: App, call: Call, { rowSet }: Body): Promise<void> {
  await app.journal.append({
    at: app.clock.now().toISOString(),
    account: call.account,
    merchant: boundOf(app.ledger, call.account).mark,
    fileId: call.file_id,
    batchNo: call.batch_no,
    attempt: call.attempt,
    sha256: call.body_sha256,
    call: call.token,
    ...(rowSet !== null && { rowSet }),
  });
}

/** Returns a function for the time passed, in ms. Of its two clocks, one goes on while the host sleeps. */
function startStopwatch(app: App): () => number {
  const [started, startedAt] = [performance.now(), app.clock.now().getTime()];
  return () => Math.round(Math.max(performance.now() - started, app.clock.now().getTime() - startedAt));
}
