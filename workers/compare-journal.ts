import type { App } from '../src/app.ts';
import { recallForgotten } from '../src/ledger/moves/recall-batch.ts';

/**
 * At start, before anything may be sent: an account whose journal is ahead of the ledger stops, and what was sent is in
 * doubt or barred from here on (F76). May be repeated.
 */
export async function compareJournal(app: App): Promise<void> {
  for (const { account, reason, recalled, forgotten } of await recallForgotten(
    app.ledger,
    app.settings.paths.journal,
  )) {
    const about = { account, code: 'JOURNAL_AHEAD', inDoubt: recalled.length, forgotten: forgotten.length };
    app.log.error(about, `account stopped: ${reason}`);
  }
}
