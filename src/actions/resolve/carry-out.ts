import { type BatchState, saidState } from '../../../schemas/lifecycle.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { propose } from '../../ledger/proposal/propose.ts';
import { RESOLUTION_ACTIONS, type ResolutionName } from '../../ledger/doubt/resolution-actions.ts';
import { type Transaction, transact } from '../../ledger/engine/transaction.ts';
import type { ResolutionContext } from './resolution-context.ts';

/** `proposed`: nothing changes until another person confirms the proposal with this number. */
export type CarriedOut = { result: 'done' | 'dry-run' } | { result: 'proposed'; proposalNo: number };

/** Evidence and reason of a resolution. The evidence enters the audit trail, so it must hold no number of a payer. */
export type Order = { reason: string; evidence: Record<string, unknown> };

/**
 * Carries out a resolution in one transaction, only tries it, or proposes it for a second person. It is tried before it
 * is proposed, so no one is asked to confirm what would be refused.
 * @param before runs in the same transaction and is kept whatever follows, unless it is a dry run
 */
export async function carryOut(
  context: ResolutionContext,
  name: ResolutionName,
  order: Order,
  before: (tx: Transaction) => Promise<void> = async () => {},
): Promise<CarriedOut> {
  const subject = { file_id: context.file.file_id, batch_no: context.batch.batch_no, evidence: order.evidence };
  const because = { actor: context.actor, reason: order.reason };
  const act = (tx: Transaction) => RESOLUTION_ACTIONS[name].carryOut(tx, subject, because);
  return transact(context.ledger, async (tx) => {
    if (context.dryRun) {
      await tryOut(tx, async (trial) => {
        await before(trial);
        await act(trial);
      });
      return { result: 'dry-run' };
    }
    await before(tx);
    if (context.account.secondPerson.resolutions) {
      await tryOut(tx, act);
      return { result: 'proposed', proposalNo: await proposeIt(tx, context, name, order) };
    }
    await act(tx);
    return { result: 'done' };
  });
}

/** Carries out the work and rolls it back, so that all its conditions are checked. Throws what the work throws. */
export async function tryOut(tx: Transaction, work: (trial: Transaction) => Promise<unknown>): Promise<void> {
  await tx.client.query('SAVEPOINT trial');
  try {
    await work({ ...tx, audit: () => {} });
  } finally {
    await tx.client.query('ROLLBACK TO SAVEPOINT trial; RELEASE SAVEPOINT trial');
  }
}

async function proposeIt(
  tx: Transaction,
  context: ResolutionContext,
  name: ResolutionName,
  order: Order,
): Promise<number> {
  const { file, batch, actor } = context;
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

/** @throws PipelineError MOVE_REFUSED when the batch is in none of these states, before any query to the service */
export function mustBeIn(context: ResolutionContext, action: string, ...states: readonly BatchState[]): void {
  const { file, batch } = context;
  if (states.includes(batch.state)) return;
  throw new PipelineError(
    'MOVE_REFUSED',
    `${action} batch ${batch.batch_no} of file "${file.name}"`,
    `its state is ${saidState(batch.state)}; it must be ${states.map(saidState).join(' or ')}`,
  );
}

/** Returns the error for a refused resolution, which changed nothing, with the reason and what to do instead. */
export function refuse(context: ResolutionContext, action: string, why: string, next?: string): PipelineError {
  const { file, batch } = context;
  const what = `${action} batch ${batch.batch_no} of file "${file.name}"`;
  return new PipelineError('RESOLUTION_REFUSED', what, why, next === undefined ? {} : { next });
}
