import { PipelineError } from '../../kernel/errors.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { type Transaction, transact } from '../engine/transaction.ts';
import { NEWCOMER_DAYS } from '../../../schemas/config.ts';
import { readProposal } from './proposals.ts';
import type { AuditReason, BatchKey } from '../engine/move.ts';
import { lockDecisionsOf } from '../duplicates/double-charges.ts';
import { bindingOfCharged, releaseCharged } from '../duplicates/decide-double-charges.ts';
import { type Binding, bindingOfFile, confirm, type ProposalRow, refuse } from './propose.ts';
import { approveHeld } from '../file/release-held.ts';
import { RESOLUTION_ACTIONS } from '../doubt/resolution-actions.ts';
import { bindingOfVersion, confirmProposed } from '../profile/move-profile.ts';
import { beginProposed, bindingOfReprocess } from '../reprocess/move-run.ts';

/**
 * Confirms a proposal as a second person and carries it out in the same transaction. If its subject has changed, the
 * proposal becomes void, which stays recorded, and nothing is done.
 * @param actor `operator:<user>`
 * @param newcomerDays see refuse-acquainted.ts
 * @throws PipelineError NOT_FOUND, SECOND_PERSON, PROPOSAL_ENDED, PROPOSAL_VOID, and what the action itself throws
 */
export async function confirmProposal(
  ledger: Ledger,
  proposalNo: number,
  actor: string,
  newcomerDays = NEWCOMER_DAYS,
): Promise<ProposalRow> {
  const waiting = await readProposal(ledger, proposalNo);
  const { verdict, proposal } = await transact(ledger, async (tx) => {
    const action = PROPOSED_ACTIONS[waiting.action];
    if (!action) throw new PipelineError('INTERNAL', `carry out "${waiting.action}"`, 'no such action is known');
    const confirmation = await confirm(tx, proposalNo, actor, await action.bindingOf(tx, waiting), newcomerDays);
    if (confirmation.verdict === 'confirmed') {
      const { reason, made_by: proposedBy } = waiting;
      await action.carryOut(tx, waiting, { actor, reason, evidence: { proposalNo, proposedBy } });
    }
    return confirmation;
  });
  if (verdict === 'void') throw new PipelineError('PROPOSAL_VOID', `confirm proposal ${proposalNo}`);
  return proposal;
}

/**
 * Ends a proposal without carrying it out. Its maker may do this too.
 * @throws PipelineError NOT_FOUND, PROPOSAL_ENDED
 */
export function refuseProposal(ledger: Ledger, proposalNo: number, because: AuditReason): Promise<ProposalRow> {
  return transact(ledger, (tx) => refuse(tx, proposalNo, because));
}

/** How a confirmed proposal of one kind is carried out. */
type ProposedAction = {
  /** Shown in the list of proposals. */
  readonly about: string;
  /** Returns the current binding of the subject, to compare with that of the proposal. Locks what it reads. */
  bindingOf(tx: Transaction, proposal: ProposalRow): Promise<Binding>;
  /** Runs in the transaction that confirms it. */
  carryOut(tx: Transaction, proposal: ProposalRow, because: AuditReason): Promise<void>;
};

/** Everything that one person can propose and another confirm, by the action name in the proposal. */
export const PROPOSED_ACTIONS: Readonly<Record<string, ProposedAction>> = {
  approve: {
    about: 'approve the held file; its valid rows are sent',
    bindingOf: async (tx, { file_id: fileId }) => {
      // Before the file is locked: an intake that holds this lock may wait for the file.
      await lockDecisionsOf(tx, { fileId: fileId! });
      return bindingOfFile(tx, fileId!);
    },
    carryOut: (tx, { file_id: fileId }, because) => approveHeld(tx, fileId!, because),
  },
  release: {
    about: 'release the batch although a payment in it may have been charged meanwhile; it is sent',
    bindingOf: (tx, proposal) => bindingOfCharged(tx, batchOf(proposal)),
    carryOut: (tx, proposal, because) => releaseCharged(tx, batchOf(proposal), because),
  },
  'confirm-profile': {
    about: 'confirm the version of the import profile; it reads the files of its folders',
    bindingOf: bindingOfVersion,
    carryOut: confirmProposed,
  },
  reprocess: {
    about: 'reprocess the selected payments; they are sent again',
    bindingOf: bindingOfReprocess,
    carryOut: beginProposed,
  },
  ...RESOLUTION_ACTIONS,
};

function batchOf({ file_id: fileId, batch_no: batchNo }: ProposalRow): BatchKey {
  return { fileId: fileId!, batchNo: batchNo! };
}
