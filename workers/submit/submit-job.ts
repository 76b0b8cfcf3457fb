import type { App } from '../../src/app.ts';
import type { BatchKey } from '../../src/ledger/engine/move.ts';
import { askForNext } from './record-answer.ts';
import { type BodyAhead, openAhead } from './body-ahead.ts';
import { submitAlone } from './submit.ts';
import { findNext, enqueueNextBatch } from '../enqueue.ts';

/** How long a job works on the batches of its account, in ms. */
const SLICE_MS = 1_000;

/**
 * Handles a `submit` job: sends its batch, then those that follow in its account, for one time slice. A job for each
 * would take as long as sending it when the service is quick.
 *
 * One call is in progress at a time. Meanwhile the next body is opened; the job that a batch needs next is added while
 * the following batch is taken up.
 *
 * A time slice is short, so that no account keeps the others waiting; with a slow service it covers one call.
 * @param signal ends the time slice after the call in progress
 * @param sliceMs for tests
 */
export async function runSubmitJob(app: App, key: BatchKey, signal: AbortSignal, sliceMs = SLICE_MS): Promise<void> {
  const began = performance.now();
  const isOver = () => signal.aborted || performance.now() - began >= sliceMs;
  const asked: Promise<void>[] = [];
  try {
    let account: string | undefined;
    let ahead: BodyAhead | undefined;
    for (let next: BatchKey | undefined = key; next; ) {
      let opening: Promise<BodyAhead | undefined> | undefined;
      const calling = (name: string) => {
        if (!isOver()) opening = openAhead(app, name);
      };
      const tried = await submitAlone(app, next, { account, ahead, calling });
      const wasGuess: boolean = next === ahead?.key;
      if (tried) {
        account = tried.account;
        asked.push(withoutNotice(askForNext(app, tried.now)));
        if (isOver()) return await enqueueNextBatch(app, account);
      }
      ahead = await opening;
      // The guess may be wrong: the next batch may have changed.
      if (tried && ahead) next = ahead.key;
      else next = account !== undefined && (tried || wasGuess) ? await findNext(app, account) : undefined;
    }
  } finally {
    await Promise.all(asked);
  }
}

/** Keeps a failure from counting as unhandled until the caller awaits it. */
function withoutNotice(work: Promise<void>): Promise<void> {
  work.catch(() => undefined);
  return work;
}
