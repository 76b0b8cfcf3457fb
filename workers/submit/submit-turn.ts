import type { App } from '../../src/app.ts';
import type { BatchKey } from '../../src/ledger/engine/move.ts';
import { askForNext } from './record-answer.ts';
import { type BodyAhead, openAhead } from './body-ahead.ts';
import { submitAlone } from './submit.ts';
import { findNext, wakeAccount } from '../wake.ts';

/** How long a job goes on with the batches of its account, in ms. */
const TURN_MS = 1_000;

/**
 * What a job of the queue does: sends its batch, and then those that follow it in its account, as long as its turn lasts.
 * To ask for each of them through the queue takes as long as to send one when the service is quick.
 *
 * One call is on its way at a time, so what can be done beside it is: the next body is opened while an answer is awaited,
 * and what a batch needs next is asked for while the one after it is taken up.
 *
 * A turn is short, so that no account keeps the others waiting; with a slow service it is over after one call.
 * @param signal ends the turn after the call that is on its way
 * @param turnMs for tests
 */
export async function submitTurn(app: App, key: BatchKey, signal: AbortSignal, turnMs = TURN_MS): Promise<void> {
  const began = performance.now();
  const isOver = () => signal.aborted || performance.now() - began >= turnMs;
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
        if (isOver()) return await wakeAccount(app, account);
      }
      ahead = await opening;
      // A guess that was not let through may be wrong: somebody has changed what is next.
      if (tried && ahead) next = ahead.key;
      else next = account !== undefined && (tried || wasGuess) ? await findNext(app, account) : undefined;
    }
  } finally {
    await Promise.all(asked);
  }
}

/** Whoever waits for it learns of its failure; until then it is nobody's. */
function withoutNotice(work: Promise<void>): Promise<void> {
  work.catch(() => undefined);
  return work;
}
