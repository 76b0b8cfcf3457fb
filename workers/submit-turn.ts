import type { App } from '../src/app.ts';
import type { BatchKey } from '../src/ledger/moves/move.ts';
import { submitAlone } from './submit.ts';
import { findNext, wakeAccount } from './wake.ts';

/** How long a job goes on with the batches of its account, in ms. */
const TURN_MS = 1_000;

/**
 * What a job of the queue does: sends its batch, and then those that follow it in its account, as long as its turn lasts.
 * To ask for each of them through the queue takes as long as to send one when the service is quick.
 *
 * A turn is short, so that no account keeps the others waiting; with a slow service it is over after one call.
 * @param signal ends the turn after the call that is on its way
 * @param turnMs for tests
 */
export async function submitTurn(app: App, key: BatchKey, signal: AbortSignal, turnMs = TURN_MS): Promise<void> {
  const began = performance.now();
  let account: string | undefined;
  for (let next: BatchKey | undefined = key; next; ) {
    account = await submitAlone(app, next, account);
    if (account === undefined) return;
    if (signal.aborted || performance.now() - began >= turnMs) return wakeAccount(app, account);
    next = await findNext(app, account);
  }
}
