import type { Settings } from '../kernel/config.ts';
import { recallForgotten } from '../ledger/moves/recall-batch.ts';
import type { Ledger } from '../ledger/open-ledger.ts';

/**
 * Before a person decides over batches: what the send journal knows and a restored ledger has forgotten is written down,
 * so that nobody cancels as never sent what was sent (F76). The workers do the same at their start.
 */
export async function compareJournalFirst(ledger: Ledger, settings: Settings): Promise<void> {
  for (const { account, reason } of await recallForgotten(ledger, settings.paths.journal)) {
    console.error(`Account ${account} was stopped: ${reason}. See "paydrop account list".`);
  }
}
