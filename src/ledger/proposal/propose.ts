import { ERRORS } from '../../../schemas/errors.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { storableJson, storableText } from '../engine/storable-text.ts';
import { refuseAcquainted } from './refuse-acquainted.ts';
import { type Transaction, violates } from '../engine/transaction.ts';
import type { AuditReason, BatchKey } from '../engine/move.ts';

/**
 * What a proposal is bound to when it is made: sha256, attempt, rows, cents and whatever else must not change before it
 * is confirmed. Compared as JSON, so key order does not matter.
 */
export type Binding = Readonly<Record<string, string | number | boolean | null>>;

type NewProposal = {
  /** Action to carry out once confirmed, such as `approve`; a key of PROPOSED_ACTIONS. */
  action: string;
  binding: Binding;
  reason: string;
  /** What the action needs, and what shows that it is right. Never a card or account number. */
  evidence?: Record<string, unknown>;
  /** Who proposes: `operator:<user>`. */
  actor: string;
} & ProposalSubject;

/** A file, one of its batches, a version of a profile, or a selection to have done again. */
type ProposalSubject = { fileId: string; batchNo?: number } | { profileNo: number } | { runNo: number };

/** A proposal as read from the ledger. */
export type ProposalRow = {
  proposal_no: number;
  action: string;
  file_id: string | null;
  batch_no: number | null;
  /** The version of a profile that it is about, instead of a file. */
  profile_no: number | null;
  /** The selection that it is about, instead of a file. */
  run_no: number | null;
  binding: Binding;
  reason: string;
  evidence: Record<string, unknown>;
  made_by: string;
  made_at: Date;
  checked_by: string | null;
  checked_at: Date | null;
  verdict: 'confirmed' | 'refused' | 'void' | null;
};

/** A void proposal does nothing. The caller commits it anyway, so that it cannot be tried again. */
type Confirmation = { verdict: 'confirmed' | 'void'; proposal: ProposalRow };

/**
 * Records what one person wants done. Nothing happens until another person confirms it.
 * @returns the number of the proposal
 * @throws PipelineError PROPOSAL_OPEN when its subject already has an open proposal
 */
export async function propose(tx: Transaction, proposal: NewProposal): Promise<number> {
  const { action, binding, reason, evidence, actor, ...about } = proposal;
  const { fileId, batchNo, profileNo, runNo } = { ...NO_SUBJECT, ...about };
  const { rows } = await tx.client
    .query<{ proposal_no: number }>(
      `INSERT INTO proposal (action, file_id, batch_no, profile_no, run_no, binding, reason, evidence, made_by, made_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING proposal_no`,
      [
        action,
        fileId,
        batchNo ?? null,
        profileNo,
        runNo,
        storableJson(binding),
        storableText(reason),
        storableJson(evidence ?? {}),
        actor,
        tx.at,
      ],
    )
    .catch((error: unknown) => {
      if (ONE_OPEN.some((index) => violates(error, index)))
        throw new PipelineError('PROPOSAL_OPEN', `propose to ${action}`);
      throw error;
    });
  const proposalNo = rows[0]!.proposal_no;
  tx.audit({ ...placeOf(fileId, batchNo), actor, move: 'propose', reason, evidence: { proposalNo, action, binding } });
  return proposalNo;
}

const NO_SUBJECT = { fileId: null, batchNo: null, profileNo: null, runNo: null };

/** Indexes that allow one open proposal for each subject. */
const ONE_OPEN = ['one_open_proposal', 'one_open_profile_proposal', 'one_open_reprocess_proposal'];

/**
 * Confirms a proposal as a person other than its maker, or voids it when its subject has changed. The caller carries it
 * out in the same transaction.
 * @param binding the current binding of its subject
 * @param newcomerDays how long two users tied to each other cannot confirm, see refuse-acquainted.ts
 * @throws PipelineError NOT_FOUND, PROPOSAL_ENDED, SECOND_PERSON
 */
export async function confirm(
  tx: Transaction,
  proposalNo: number,
  actor: string,
  binding: Binding,
  newcomerDays: number,
): Promise<Confirmation> {
  const proposal = await lockProposal(tx, proposalNo);
  // The letter case of a login may differ from that of the user's name here.
  if (proposal.made_by.toLowerCase() === actor.toLowerCase())
    throw new PipelineError('SECOND_PERSON', `confirm proposal ${proposalNo}`);
  await refuseAcquainted(tx, `confirm proposal ${proposalNo}`, [proposal.made_by, actor], newcomerDays);
  const { rowCount } = await tx.client.query('SELECT 1 FROM proposal WHERE proposal_no = $1 AND binding = $2::jsonb', [
    proposalNo,
    storableJson(binding),
  ]);
  const verdict = rowCount === 1 ? 'confirmed' : 'void';
  const reason = verdict === 'confirmed' ? proposal.reason : ERRORS.PROPOSAL_VOID.means;
  return { verdict, proposal: await end(tx, proposal, verdict, { actor, reason, evidence: { found: binding } }) };
}

/**
 * Ends a proposal without carrying it out. Its maker may do so too: withdrawing moves nothing.
 * @throws PipelineError NOT_FOUND, PROPOSAL_ENDED
 */
export async function refuse(tx: Transaction, proposalNo: number, because: AuditReason): Promise<ProposalRow> {
  return end(tx, await lockProposal(tx, proposalNo), 'refused', because);
}

/** Voids open proposals whose subject went another way, so that they cannot be confirmed later. */
export async function voidProposals(tx: Transaction, about: ProposalSubject, because: AuditReason): Promise<void> {
  const { fileId, batchNo, profileNo, runNo } = { ...NO_SUBJECT, ...about };
  const { rows } = await tx.client.query<ProposalRow>(
    `SELECT * FROM proposal
     WHERE (file_id = $1 AND ($2::integer IS NULL OR batch_no = $2) OR profile_no = $3 OR run_no = $4)
       AND verdict IS NULL ORDER BY proposal_no FOR UPDATE`,
    [fileId, batchNo ?? null, profileNo, runNo],
  );
  for (const proposal of rows) await end(tx, proposal, 'void', because);
}

/** Locks an open proposal, so that only this transaction can end it; always after its file or batch. */
async function lockProposal(tx: Transaction, proposalNo: number): Promise<ProposalRow> {
  const { rows } = await tx.client.query<ProposalRow>('SELECT * FROM proposal WHERE proposal_no = $1 FOR UPDATE', [
    proposalNo,
  ]);
  const [proposal] = rows;
  if (!proposal) throw new PipelineError('NOT_FOUND', `find proposal ${proposalNo}`);
  if (proposal.verdict === null) return proposal;
  throw new PipelineError('PROPOSAL_ENDED', `end proposal ${proposalNo}`, `it is ${proposal.verdict}`);
}

type Verdict = NonNullable<ProposalRow['verdict']>;

async function end(
  tx: Transaction,
  proposal: ProposalRow,
  verdict: Verdict,
  because: AuditReason,
): Promise<ProposalRow> {
  const { rows } = await tx.client.query<ProposalRow>(
    'UPDATE proposal SET verdict = $2, checked_by = $3, checked_at = $4 WHERE proposal_no = $1 RETURNING *',
    [proposal.proposal_no, verdict, because.actor, tx.at],
  );
  const { proposal_no: proposalNo, file_id: fileId, batch_no: batchNo, action, made_by: madeBy } = proposal;
  tx.audit({
    ...because,
    ...placeOf(fileId, batchNo),
    move: VERDICT_MOVES[verdict],
    evidence: { proposalNo, action, madeBy, ...because.evidence },
  });
  return rows[0]!;
}

function placeOf(fileId: string | null, batchNo: number | null | undefined) {
  return { ...(fileId !== null && { fileId }), ...(typeof batchNo === 'number' && { batchNo }) };
}

const VERDICT_MOVES = { confirmed: 'confirm', refused: 'refuse-proposal', void: 'void-proposal' } as const;

/**
 * Returns what a proposal for a file is bound to: its bytes, valid rows, money and state. Locks the file until the
 * transaction ends.
 * @throws PipelineError NOT_FOUND
 */
export async function bindingOfFile(tx: Transaction, fileId: string): Promise<Binding> {
  const { rows } = await tx.client.query<Binding>(
    `SELECT sha256, coalesce(valid_rows, 0) AS rows, coalesce(valid_cents, 0) AS cents, state
     FROM file WHERE file_id = $1 FOR UPDATE`,
    [fileId],
  );
  if (!rows[0]) throw new PipelineError('NOT_FOUND', `find file "${fileId}"`);
  return rows[0];
}

/**
 * Returns the same for a batch: its bytes, rows, money, attempt and state.
 * @throws PipelineError NOT_FOUND
 */
export async function bindingOfBatch(tx: Transaction, { fileId, batchNo }: BatchKey): Promise<Binding> {
  const { rows } = await tx.client.query<Binding>(
    `SELECT body_sha256 AS sha256, rows, cents, attempt, state FROM batch
     WHERE file_id = $1 AND batch_no = $2 FOR UPDATE`,
    [fileId, batchNo],
  );
  if (!rows[0]) throw new PipelineError('NOT_FOUND', `find batch ${batchNo} of file "${fileId}"`);
  return rows[0];
}
