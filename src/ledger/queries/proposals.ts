import { PipelineError } from '../../kernel/errors.ts';
import type { ProposalRow } from '../moves/propose.ts';
import type { Ledger } from '../open-ledger.ts';

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
