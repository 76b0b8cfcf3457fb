import type { App } from '../../src/app.ts';
import { isWindowOpen } from '../../src/calendar/send-window.ts';
import { findSendable } from '../../src/ledger/batch/due-work.ts';
import type { BatchKey } from '../../src/ledger/engine/move.ts';

/** Returns the account's batch that may be sent now, if there is one. */
export async function findNext(app: App, account: string): Promise<BatchKey | undefined> {
  return mayBeSent(app, account) ? findSendable(app.ledger, account) : undefined;
}

/** Returns whether an account's window is open. An account that left the configuration has none. */
export function mayBeSent(app: App, account: string): boolean {
  const times = app.settings.accounts.get(account);
  return times === undefined || isWindowOpen(times, app.clock.now());
}
