import { PipelineError } from '../../kernel/errors.ts';
import type { ProposalRow } from './propose.ts';
import type { Ledger } from '../engine/open-ledger.ts';

/** A proposal that waits for its second person, with the file that it is about. Money is integer cents. */
export type OpenProposal = ProposalRow & {
  name: string;
  account: string;
  file_state: string;
  rows: number;
  cents: number;
};

/** @throws PipelineError NOT_FOUND */
export async function readProposal(ledger: Ledger, proposalNo: number): Promise<ProposalRow> {
  const { rows } = await ledger.pool.query<ProposalRow>('SELECT * FROM proposal WHERE proposal_no = $1', [proposalNo]);
  if (!rows[0]) throw new PipelineError('NOT_FOUND', `find proposal ${proposalNo}`);
  return rows[0];
}

/** Everything that waits for a second person, the oldest first; at most 200. */
export async function readOpenProposals(ledger: Ledger): Promise<OpenProposal[]> {
  const { rows } = await ledger.pool.query<OpenProposal>(
    `SELECT p.*, f.name, f.account, f.state AS file_state, coalesce(b.rows, f.valid_rows, 0) AS rows,
            coalesce(b.cents, f.valid_cents, 0) AS cents
     FROM proposal p JOIN file f USING (file_id) LEFT JOIN batch b USING (file_id, batch_no)
     WHERE p.verdict IS NULL ORDER BY p.proposal_no LIMIT 200`,
  );
  return rows;
}

/** What waits for a second person about one file and its batches. */
export async function readProposalsOf(
  ledger: Ledger,
  fileId: string,
): Promise<Pick<ProposalRow, 'proposal_no' | 'batch_no' | 'action' | 'made_by'>[]> {
  const { rows } = await ledger.pool.query<Awaited<ReturnType<typeof readProposalsOf>>[number]>(
    'SELECT proposal_no, batch_no, action, made_by FROM proposal WHERE file_id = $1 AND verdict IS NULL ORDER BY proposal_no LIMIT 20',
    [fileId],
  );
  return rows;
}

/** What waits for a second person about a file as a whole, or about one batch of it; there is one at most. */
export async function readOpenProposalOf(
  ledger: Ledger,
  { fileId, batchNo = 0 }: { fileId: string; batchNo?: number },
): Promise<ProposalRow | undefined> {
  const { rows } = await ledger.pool.query<ProposalRow>(
    'SELECT * FROM proposal WHERE file_id = $1 AND coalesce(batch_no, 0) = $2 AND verdict IS NULL',
    [fileId, batchNo],
  );
  return rows[0];
}
