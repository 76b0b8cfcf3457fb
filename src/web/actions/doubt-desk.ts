import type { CarriedOut } from '../../actions/resolve/carry-out.ts';
import type { Desk as ResolveDesk } from '../../actions/resolve/desk.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { readOpenProposalOf } from '../../ledger/proposal/proposals.ts';
import { readBatchRow } from '../../ledger/file/read-file.ts';
import { readHolds } from '../../ledger/account/read-holds.ts';
import type { Desk } from '../desk.ts';
import type { Done, SubjectOf } from './action-handler.ts';
import { sumWords } from './subject-words.ts';

type Place = SubjectOf<'batch'>;

/** Returns what resolving a batch in doubt needs. With `dryRun`, everything is tried and nothing is changed. */
export function doubtDesk({ app }: Desk, { file, batch }: Place, actor: string, dryRun: boolean): ResolveDesk {
  const { ledger } = app;
  return { ledger, account: app.account(file.account), gateway: app.gateway(file.account), file, batch, actor, dryRun };
}

/**
 * Returns whether the account requires a second person for resolutions.
 * @throws PipelineError PROPOSAL_OPEN when a proposal is already open, because two could contradict each other
 */
export async function takesTwoToResolve({ app }: Desk, { file, batch }: Place): Promise<boolean> {
  const isProposal = app.account(file.account).secondPerson.resolutions;
  const open = await readOpenProposalOf(app.ledger, { fileId: file.file_id, batchNo: batch.batch_no });
  if (open) throw new PipelineError('PROPOSAL_OPEN', `resolve batch ${batch.batch_no} of "${file.name}"`);
  return isProposal;
}

/** Describes the outcome of the batch and what its account does now. */
export async function sayResolved(
  desk: Desk,
  { file, batch }: Place,
  outcome: CarriedOut,
  means: string,
): Promise<Done> {
  const { ledger } = desk.app;
  const key = { fileId: file.file_id, batchNo: batch.batch_no };
  const { state, attempt } = await readBatchRow(ledger, key);
  const json = { ...key, ...outcome, state, attempt };
  const what = `batch ${batch.batch_no} of ${file.name}, ${sumWords(desk, batch.account, batch.rows, batch.cents)}`;
  if (outcome.result === 'proposed')
    return {
      says: `Proposed: ${what}. Another person has to confirm it; nothing is done yet.`,
      details: [means],
      links: [{ path: '/proposals', label: 'What waits for a second person' }],
      json,
    };
  return { says: `Done: ${what}.`, details: [means, await describeAccount(desk, batch.account)], json };
}

async function describeAccount({ app }: Desk, account: string): Promise<string> {
  const { stops, batches } = await readHolds(app.ledger, account);
  const holding = batches.filter(({ state }) => state === 'unknown' || state === 'refused');
  if (stops.length === 0 && holding.length === 0) return `Account ${account} goes on by itself.`;
  return `Account ${account} still waits for something else.`;
}
