import { PipelineError } from '../../kernel/errors.ts';
import type { Transaction } from '../engine/transaction.ts';

/** Returns whether the ledger was opened for this run of its server. */
export async function isOpen(client: Pick<Transaction['client'], 'query'>): Promise<boolean> {
  const { rows } = await client.query<{ yes: boolean }>('SELECT is_open AND is_of_this_run() AS yes FROM admission');
  return rows[0]!.yes;
}

/**
 * Guards decisions that rely on something not having been sent. A ledger that may be an older copy cannot know that.
 * @throws PipelineError LEDGER_NOT_OPEN
 */
export async function mustBeOpen({ client }: Pick<Transaction, 'client'>): Promise<void> {
  if (!(await isOpen(client))) throw new PipelineError('LEDGER_NOT_OPEN', 'decide about what was sent');
}
