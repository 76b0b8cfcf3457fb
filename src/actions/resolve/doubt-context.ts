import type { CarriedOut } from './carry-out.ts';
import type { ResolutionContext } from './resolution-context.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { readOpenProposalOf } from '../../ledger/proposal/proposals.ts';
import { readBatchRow } from '../../ledger/file/read-file.ts';
import { readHolds } from '../../ledger/account/read-holds.ts';
import { batchReference } from '../../explain/batch-reference.ts';
import type { ActionContext, ActionReport, HandledAction, SubjectOf } from '../action.ts';
import { sumWords } from '../subject-words.ts';

type Place = SubjectOf<'batch'>;

/** Returns what resolving a batch in doubt needs. With `dryRun`, everything is tried and nothing is changed. */
export function resolutionOf(
  { ledger, account, gateway }: ActionContext,
  { file, batch }: Place,
  actor: string,
  dryRun: boolean,
): ResolutionContext {
  return { ledger, account: account(file.account), gateway: gateway(batch), file, batch, actor, dryRun };
}

/**
 * Returns whether the account requires a second person for resolutions.
 * @throws PipelineError PROPOSAL_OPEN when a proposal is already open, because two could contradict each other
 */
export async function takesTwoToResolve({ ledger, account }: ActionContext, { file, batch }: Place): Promise<boolean> {
  const isProposal = account(file.account).secondPerson.resolutions;
  const open = await readOpenProposalOf(ledger, { fileId: file.file_id, batchNo: batch.batch_no });
  if (open) throw new PipelineError('PROPOSAL_OPEN', `resolve batch ${batch.batch_no} of "${file.name}"`);
  return isProposal;
}

/** Describes the outcome of the batch and what its account does now. */
export async function sayResolved(
  context: ActionContext,
  verb: HandledAction,
  { file, batch }: Place,
  outcome: CarriedOut,
  means: string,
  facts: Readonly<Record<string, unknown>> = {},
): Promise<ActionReport> {
  const key = { fileId: file.file_id, batchNo: batch.batch_no };
  const { state, attempt } = await readBatchRow(context.ledger, key);
  const json = { batch: batchReference(key), ...key, name: file.name, verb, ...outcome, state, attempt, ...facts };
  const what = `batch ${batch.batch_no} of ${file.name}, ${sumWords(context, batch.account, batch.rows, batch.cents)}`;
  if (outcome.result === 'proposed')
    return {
      says: `Proposed: ${what}. Another person must confirm it; nothing is done yet.`,
      details: [means],
      next: [{ to: 'proposals', proposalNo: outcome.proposalNo }],
      status: 'unknownOpen',
      json,
    };
  return { says: `Done: ${what}.`, details: [means, await describeAccount(context, batch.account)], json };
}

async function describeAccount({ ledger }: ActionContext, account: string): Promise<string> {
  const { stops, batches } = await readHolds(ledger, account);
  const holding = batches.filter(({ state }) => state === 'unknown' || state === 'refused');
  if (stops.length === 0 && holding.length === 0) return `Account ${account} continues automatically.`;
  return `Account ${account} still waits for something else.`;
}
