import { tryOut } from '../../actions/resolve/carry-out.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { confirmProposal, PROPOSED_ACTIONS, refuseProposal } from '../../ledger/proposal/confirm-proposal.ts';
import { confirm as confirmOnly, type ProposalRow } from '../../ledger/proposal/propose.ts';
import { readBatchRow } from '../../ledger/file/read-file.ts';
import { type Transaction, transact } from '../../ledger/engine/transaction.ts';
import { capital, ended, whoDid } from '../../explain/why/sentence.ts';
import type { WebContext } from '../web-context.ts';
import type { ActionHandler, Facts, SubjectOf } from './action-handler.ts';
import { evidenceFacts } from './evidence-facts.ts';
import { batchFacts, fileFacts } from './subject-words.ts';

/** Carries out what another person proposed. */
export const confirm: ActionHandler<'proposal'> = {
  comparesJournal: true,
  plan: async (context, subject, { actor }) => {
    const { proposal } = subject;
    // Tried and rolled back, to find a void proposal, or a confirmation by the maker of the proposal or the file.
    await transact(context.app.ledger, (tx) =>
      tryOut(tx, (trial) => tryConfirm(trial, proposal, actor, context.app.settings.newcomerDays)),
    );
    const { about } = PROPOSED_ACTIONS[proposal.action]!;
    return {
      says: [`You confirm what ${whoDid(proposal.made_by)} proposed: ${about}. It is done at once.`],
      facts: await factsOf(context, subject),
      button: `Confirm: ${about}`,
    };
  },
  run: async ({ app }, { proposal: { proposal_no: no } }, { actor }) => {
    const ended = await confirmProposal(app.ledger, no, actor, app.settings.newcomerDays);
    return { says: `Confirmed: ${aboutOf(ended)}. It is done.`, ...sayEnded(ended) };
  },
};

/** Ends a proposal and does nothing else. Its maker may do this as well. */
export const refuse: ActionHandler<'proposal'> = {
  plan: async (context, subject, { actor }) => {
    const { proposal } = subject;
    const { proposal_no: no, verdict } = proposal;
    if (verdict !== null) throw new PipelineError('PROPOSAL_ENDED', `refuse proposal ${no}`, `it is ${verdict}`);
    return {
      says: [
        proposal.made_by === actor
          ? 'You take back what you proposed. Nothing is done; it waits as before.'
          : `What ${whoDid(proposal.made_by)} proposed is not done; it waits as before.`,
      ],
      facts: await factsOf(context, subject),
      button: proposal.made_by === actor ? 'Take it back' : 'Refuse it',
    };
  },
  run: async ({ app }, { proposal: { proposal_no: no } }, _input, because) => {
    const ended = await refuseProposal(app.ledger, no, because);
    return { says: `Refused: ${aboutOf(ended)}. Nothing was done.`, ...sayEnded(ended) };
  },
};

async function tryConfirm(
  trial: Transaction,
  proposal: ProposalRow,
  actor: string,
  newcomerDays: number,
): Promise<void> {
  const { proposal_no: no, action: name, reason } = proposal;
  const action = PROPOSED_ACTIONS[name];
  if (!action) throw new PipelineError('INTERNAL', `carry out "${name}"`, 'no such action is known');
  const { verdict } = await confirmOnly(trial, no, actor, await action.bindingOf(trial, proposal), newcomerDays);
  if (verdict === 'void') throw new PipelineError('PROPOSAL_VOID', `confirm proposal ${no}`);
  await action.carryOut(trial, proposal, { actor, reason });
}

async function factsOf(context: WebContext, { proposal, file }: SubjectOf<'proposal'>): Promise<Facts> {
  const { batch_no: batchNo, evidence, made_by: by, made_at: at, reason } = proposal;
  const { ledger, settings } = context.app;
  const subject =
    batchNo === null
      ? fileFacts(context, file)
      : batchFacts(context, file, await readBatchRow(ledger, { fileId: file.file_id, batchNo }));
  return [
    ['Proposed by', whoDid(by)],
    ['Proposed', { at, timeZone: settings.accounts.get(file.account)?.timeZone }],
    ['Reason', reason],
    ...evidenceFacts(evidence),
    ...subject,
  ];
}

function aboutOf({ action }: ProposalRow): string {
  return PROPOSED_ACTIONS[action]?.about ?? action;
}

function sayEnded({
  proposal_no: proposalNo,
  action,
  file_id: fileId,
  batch_no: batchNo,
  verdict,
  ...row
}: ProposalRow) {
  return {
    details: [capital(ended(`it was proposed by ${whoDid(row.made_by)}: ${row.reason}`))],
    links: [{ path: `/files/${fileId}`, label: 'To the file' }],
    json: { proposalNo, action, fileId, batchNo, verdict },
  };
}
