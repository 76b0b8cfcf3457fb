import { type BatchState } from '../../../schemas/lifecycle.ts';
import { saidState } from '../../../schemas/shown.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { propose } from '../../ledger/proposal/propose.ts';
import { detachResult, RESOLUTION_ACTIONS, type ResolutionName } from '../../ledger/doubt/resolution-actions.ts';
import { transact, type Transaction } from '../../ledger/engine/transaction.ts';
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

/** Returns the error for a finished batch that has nothing left to resolve. */
export function allKnown({ file, batch }: ResolutionContext, action: string): PipelineError {
  const what = `${action} batch ${batch.batch_no} of file "${file.name}"`;
  return new PipelineError('MOVE_REFUSED', what, 'it is finished, and every row of it has a known outcome');
}

/** Returns the error for a refused resolution, which changed nothing, with the reason and what to do instead. */
export function refuse(context: ResolutionContext, action: string, why: string, next?: string): PipelineError {
  const { file, batch } = context;
  const what = `${action} batch ${batch.batch_no} of file "${file.name}"`;
  return new PipelineError('RESOLUTION_REFUSED', what, why, next === undefined ? {} : { next });
}

/**
 * Declares a batch not received, after the operator confirmed with the service that it never took it. After the waiting
 * time the batch is ready for its next attempt.
 * @param evidence what shows it: who said so, when, under which reference
 * @throws PipelineError MOVE_REFUSED, or RESOLUTION_REFUSED when it is too early, the evidence says nothing, or a
 * report of the service shows a row of the batch
 */
export async function declareNotReceived(
  context: ResolutionContext,
  { evidence, reason }: { evidence: string; reason: string },
): Promise<CarriedOut> {
  mustBeIn(context, ACTION, 'unknown');
  const words = evidence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  if (words.length < FEWEST_WORDS)
    throw refuse(context, ACTION, 'the evidence is too short', 'Write who confirmed it, when and how.');
  const { resolveWaitMs: waitMs } = context.account;
  return carryOut(context, 'not-received', { reason, evidence: { evidence, waitMs } });
}

const ACTION = 'accept "not received" for';

/** "Called Ann, ticket 4711": enough to ask someone about it later. */
const FEWEST_WORDS = 3;

/**
 * Ends a batch without an answer, or closes the unknown rows of a finished one. Its file is completed. Every row that no report of the service explained is delivered
 * as UNKNOWN, for the suspense account, and never enters the rejects or retry file.
 * @throws PipelineError MOVE_REFUSED
 */
export async function closeInDoubt(context: ResolutionContext, reason: string): Promise<CarriedOut> {
  mustBeIn(context, 'close', 'unknown', 'exception', 'reconciled');
  const { resolveWaitMs: waitMs } = context.account;
  return carryOut(context, 'close-in-doubt', { reason, evidence: { waitMs } });
}

/**
 * Detaches a result that belongs to another batch, so whether this batch was taken is unknown again. This only adds
 * doubt, so one person is enough.
 * @throws PipelineError MOVE_REFUSED
 */
export async function detachBatchResult(context: ResolutionContext, reason: string): Promise<CarriedOut> {
  const { ledger, file, batch, actor } = context;
  mustBeIn(context, 'detach the result of', 'exception');
  const key = { fileId: file.file_id, batchNo: batch.batch_no };
  return transact(ledger, async (tx) => {
    const disown = (within: typeof tx) => detachResult(within, key, { actor, reason });
    if (!context.dryRun) {
      await disown(tx);
      return { result: 'done' };
    }
    await tryOut(tx, async (trial) => {
      await disown(trial);
    });
    return { result: 'dry-run' };
  });
}
