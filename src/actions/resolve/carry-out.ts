import type { BatchState } from '../../../schemas/lifecycle.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { propose } from '../../ledger/proposal/propose.ts';
import { RESOLUTION_ACTIONS, type ResolutionName } from '../../ledger/doubt/resolution-actions.ts';
import { type Transaction, transact } from '../../ledger/engine/transaction.ts';
import type { Desk } from './desk.ts';

/** `proposed`: nothing has changed before another person confirms the proposal of this number. */
export type CarriedOut = { result: 'done' | 'dry-run' } | { result: 'proposed'; proposalNo: number };

/** What a resolution is done with and why. The evidence goes into the audit trail, so it holds no number of a payer. */
export type Order = { reason: string; evidence: Record<string, unknown> };

/**
 * Does a resolution in one transaction, or only tries it, or writes it down for a second person. It is tried before
 * it is proposed, so that nobody is asked to confirm what would be refused.
 * @param before done in the same transaction and kept whatever follows, unless it is a dry run
 */
export async function carryOut(
  desk: Desk,
  name: ResolutionName,
  order: Order,
  before: (tx: Transaction) => Promise<void> = async () => {},
): Promise<CarriedOut> {
  const subject = { file_id: desk.file.file_id, batch_no: desk.batch.batch_no, evidence: order.evidence };
  const because = { actor: desk.actor, reason: order.reason };
  const act = (tx: Transaction) => RESOLUTION_ACTIONS[name].carryOut(tx, subject, because);
  return transact(desk.ledger, async (tx) => {
    if (desk.dryRun) {
      await tryOut(tx, async (trial) => {
        await before(trial);
        await act(trial);
      });
      return { result: 'dry-run' };
    }
    await before(tx);
    if (desk.account.secondPerson.resolutions) {
      await tryOut(tx, act);
      return { result: 'proposed', proposalNo: await proposeIt(tx, desk, name, order) };
    }
    await act(tx);
    return { result: 'done' };
  });
}

/** Does it and undoes it, so that all its conditions are checked as they will be. Throws what it throws. */
export async function tryOut(tx: Transaction, work: (trial: Transaction) => Promise<void>): Promise<void> {
  await tx.client.query('SAVEPOINT trial');
  try {
    await work({ ...tx, audit: () => {} });
  } finally {
    await tx.client.query('ROLLBACK TO SAVEPOINT trial');
  }
}

async function proposeIt(tx: Transaction, desk: Desk, name: ResolutionName, order: Order): Promise<number> {
  const { file, batch, actor } = desk;
  const subject = { file_id: file.file_id, batch_no: batch.batch_no, evidence: order.evidence };
  const binding = await RESOLUTION_ACTIONS[name].bindingOf(tx, subject);
  const { reason, evidence } = order;
  return propose(tx, {
    action: name,
    fileId: file.file_id,
    batchNo: batch.batch_no,
    binding,
    reason,
    evidence,
    actor,
  });
}

/** @throws PipelineError MOVE_REFUSED when the batch is in none of these states, before anybody is asked anything */
export function mustBeIn(desk: Desk, action: string, ...states: readonly BatchState[]): void {
  const { file, batch } = desk;
  if (states.includes(batch.state)) return;
  throw new PipelineError(
    'MOVE_REFUSED',
    `${action} batch ${batch.batch_no} of file "${file.name}"`,
    `it is ${batch.state}, and only what is ${states.join(' or ')} can be resolved so`,
  );
}

/** Nothing was changed; says why, and what to do instead. */
export function refuse(desk: Desk, action: string, why: string, next?: string): PipelineError {
  const { file, batch } = desk;
  const what = `${action} batch ${batch.batch_no} of file "${file.name}"`;
  return new PipelineError('RESOLUTION_REFUSED', what, why, next === undefined ? {} : { next });
}
