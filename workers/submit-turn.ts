import type { App } from '../src/app.ts';
import type { BatchKey } from '../src/ledger/moves/move.ts';
import { askForNext } from './record-answer.ts';
import { type BodyAhead, openAhead } from './submit/body-ahead.ts';
import { submitAlone } from './submit.ts';
import { findNext, wakeAccount } from './wake.ts';

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
  let account: string | undefined;
  let ahead: BodyAhead | undefined;
  let asking = Promise.resolve();
  for (let next: BatchKey | undefined = key; next; ) {
    let opening: Promise<BodyAhead | undefined> | undefined;
    const calling = (name: string) => {
      if (!isOver()) opening = openAhead(app, name);
    };
    const tried = await submitAlone(app, next, { account, ahead, calling });
    const wasGuess: boolean = next === ahead?.key;
    ahead = await opening;
    await asking;
    if (tried) {
      account = tried.account;
      asking = askForNext(app, tried.now);
      // Whoever waits for it learns of its failure; until then it is nobody's.
      asking.catch(() => undefined);
    }
    if (tried && isOver()) {
      await asking;
      return wakeAccount(app, tried.account);
    }
    // A guess that was not let through may be wrong: somebody has changed what is next.
    if (tried && ahead) next = ahead.key;
    else next = account !== undefined && (tried || wasGuess) ? await findNext(app, account) : undefined;
  }
  await asking;
}
