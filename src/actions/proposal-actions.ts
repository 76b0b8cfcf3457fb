import { tryOut } from './resolve/carry-out.ts';
import { groupDigits } from '../kernel/counted.ts';
import { PipelineError } from '../kernel/errors.ts';
import { formatCents } from '../kernel/money.ts';
import { confirmProposal, PROPOSED_ACTIONS, refuseProposal } from '../ledger/proposal/confirm-proposal.ts';
import { confirm as confirmOnly, type ProposalRow } from '../ledger/proposal/propose.ts';
import { readProposedRows } from '../ledger/doubt/resolution-actions.ts';
import { SHOWN_OUTCOMES } from '../../schemas/shown.ts';
import { readVersion } from '../ledger/profile/read-profiles.ts';
import { readBatchRow } from '../ledger/file/read-file.ts';
import type { FileRow } from '../ledger/engine/records.ts';
import { type Queryable, type Transaction, transact } from '../ledger/engine/transaction.ts';
import { readHoldReasons } from '../explain/hold-reasons.ts';
import { ended as endedWith, whoDid } from '../explain/why/sentence.ts';
import type { Action, ActionContext, Facts, Listing, Next, SubjectOf } from './action.ts';
import { evidenceFacts, evidenceRows } from './evidence-facts.ts';
import { batchFacts, fileFacts, versionFacts, versionName } from './subject-words.ts';

/** Carries out what another person proposed. */
export const confirm: Action<'proposal'> = {
  comparesJournal: true,
  plan: async (context, subject, { actor }) => {
    const { proposal } = subject;
    // Tried and rolled back, to find a void proposal, or a confirmation by the maker of the proposal or the file.
    await transact(context.ledger, (tx) =>
      tryOut(tx, (trial) => tryConfirm(trial, proposal, actor, context.settings.newcomerDays)),
    );
    const { about } = PROPOSED_ACTIONS[proposal.action]!;
    return {
      says: [`You confirm what ${whoDid(proposal.made_by)} proposed: ${about}. It is done at once.`],
      facts: await factsOf(context, subject),
      listing: await evidenceOf(context, subject),
      button: `Confirm: ${about}`,
    };
  },
  run: async ({ ledger, settings }, { proposal: { proposal_no: no }, file }, { actor }) => {
    const ended = await confirmProposal(ledger, no, actor, settings.newcomerDays);
    return { says: `Confirmed: ${aboutOf(ended)}. It is done.`, ...(await sayEnded(ledger, ended, file)) };
  },
};

/** Ends a proposal and does nothing else. Its maker may do this as well. */
export const refuse: Action<'proposal'> = {
  usualReason: 'no reason was given',
  plan: async (context, subject, { actor }) => {
    const { proposal } = subject;
    const { proposal_no: no, verdict } = proposal;
    if (verdict !== null) throw new PipelineError('PROPOSAL_ENDED', `refuse proposal ${no}`, `it is ${verdict}`);
    return {
      says: [
        proposal.made_by === actor
          ? 'You withdraw your proposal. Nothing is done; its subject stays as it is.'
          : `What ${whoDid(proposal.made_by)} proposed is not done; its subject stays as it is.`,
      ],
      facts: await factsOf(context, subject),
      button: proposal.made_by === actor ? 'Withdraw it' : 'Refuse it',
    };
  },
  run: async ({ ledger }, { proposal: { proposal_no: no }, file }, _input, because) => {
    const ended = await refuseProposal(ledger, no, because);
    return { says: `Refused: ${aboutOf(ended)}. Nothing was done.`, ...(await sayEnded(ledger, ended, file)) };
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

/** Returns what the first person looked at, when they proposed to approve a file. */
async function evidenceOf({ ledger }: ActionContext, { proposal, file }: SubjectOf<'proposal'>) {
  if (proposal.action === 'journal' || proposal.action === 'close-in-doubt') return rowsOf(ledger, proposal);
  if (!file || proposal.action !== 'approve') return undefined;
  return evidenceRows(ledger, file, await readHoldReasons(ledger, file));
}

/** Most rows to list; the facts have how many get each outcome. */
const MOST_ROWS = 100;

/** Lists the rows with the outcomes that they would get. The proposal is void once one of them differs. */
async function rowsOf(ledger: ActionContext['ledger'], proposal: ProposalRow): Promise<Listing> {
  const rows = await transact(ledger, (tx) => readProposedRows(tx, proposal, String(proposal.binding['state'])));
  return {
    label: 'Rows and the outcomes that they get',
    titles: ['Line', 'Outcome', 'Because'],
    rows: rows
      .slice(0, MOST_ROWS)
      .map(({ line, outcome, message }) => [String(line), SHOWN_OUTCOMES[outcome].word, message]),
  };
}

/** Says how many rows get each outcome, as the proposal is bound to it. */
function outcomeFacts({ binding }: ProposalRow): Facts {
  const counts = Object.entries(SHOWN_OUTCOMES).flatMap(([outcome, { word }]) => {
    const rows = binding[outcome];
    return typeof rows === 'number' ? [`${word}: ${groupDigits(String(rows))}`] : [];
  });
  return counts.length === 0 ? [] : [['Rows by outcome', counts.join(', ')]];
}

async function factsOf(context: ActionContext, subject: SubjectOf<'proposal'>): Promise<Facts> {
  const { evidence, made_by: by, made_at: at, reason } = subject.proposal;
  const account = subject.file && context.settings.accounts.get(subject.file.account);
  return [
    ['Proposed by', whoDid(by)],
    ['Proposed', { at, timeZone: account?.timeZone }],
    ['Reason', reason],
    ...evidenceFacts(evidence),
    ...outcomeFacts(subject.proposal),
    ...(await subjectFacts(context, subject)),
  ];
}

async function subjectFacts(context: ActionContext, { proposal, file }: SubjectOf<'proposal'>): Promise<Facts> {
  const { batch_no: batchNo, profile_no: profileNo, run_no: runNo, binding } = proposal;
  const { ledger } = context;
  if (runNo !== null) return selectionFacts(runNo, binding);
  if (!file) return versionFacts(await readVersion(ledger.pool, profileNo!));
  if (batchNo === null) return fileFacts(context, file);
  return batchFacts(context, file, await readBatchRow(ledger, { fileId: file.file_id, batchNo }));
}

function aboutOf({ action }: ProposalRow): string {
  return PROPOSED_ACTIONS[action]?.about ?? action;
}

/** Returns the name of what a proposal without a file is about. */
async function otherName(pool: Queryable, { run_no: runNo, profile_no: profileNo }: ProposalRow): Promise<string> {
  return runNo === null ? versionName(await readVersion(pool, profileNo!)) : `selection ${runNo}`;
}

function selectionFacts(runNo: number, { rows, cents }: ProposalRow['binding']): Facts {
  return [
    ['Selection', String(runNo)],
    ['Payments', groupDigits(String(rows))],
    ['Total', groupDigits(formatCents(Number(cents)))],
  ];
}

/** Leads to what became of it: a refused selection stays as it was. */
function nextOf({ run_no: runNo, verdict }: ProposalRow, file: FileRow | undefined): Next[] {
  if (file) return [{ to: 'file', file }];
  return runNo !== null && verdict === 'confirmed' ? [{ to: 'run', runNo }] : [];
}

async function sayEnded({ pool }: ActionContext['ledger'], ended: ProposalRow, file: FileRow | undefined) {
  const { proposal_no: proposalNo, action, file_id: fileId, batch_no: batchNo, verdict, reason, evidence } = ended;
  const { made_by: madeBy, made_at: madeAt, checked_by: checkedBy, checked_at: checkedAt } = ended;
  const by = { madeBy, madeAt, checkedBy, checkedAt };
  const name = file ? file.name : await otherName(pool, ended);
  return {
    details: [`Proposal ${proposalNo} for ${name} was made by ${whoDid(madeBy)}: ${endedWith(reason)}`],
    next: nextOf(ended, file),
    json: { proposalNo, action, fileId, batchNo, name, verdict, reason, evidence, ...by },
  };
}
