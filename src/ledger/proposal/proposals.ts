import { PipelineError } from '../../kernel/errors.ts';
import type { ProposalRow } from './propose.ts';
import { readFileRow } from '../file/read-file.ts';
import type { FileRow } from '../engine/records.ts';
import type { Ledger } from '../engine/open-ledger.ts';

/** A proposal that awaits a second person, with its file, its version of a profile or its selection. Money is integer cents. */
export type OpenProposal = ProposalRow & {
  name: string;
  /** Empty for a profile and a selection. */
  account: string;
  /** State of the file, the version or the selection. */
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

/** Returns the file that a proposal is about; undefined for that of a profile or a selection. */
export async function readFileOf(ledger: Ledger, { file_id: fileId }: ProposalRow): Promise<FileRow | undefined> {
  return fileId === null ? undefined : readFileRow(ledger, fileId);
}

/** Returns all proposals that await a second person, oldest first, at most 200. */
export async function readOpenProposals(ledger: Ledger): Promise<OpenProposal[]> {
  const { rows } = await ledger.pool.query<OpenProposal>(
    `SELECT p.*, coalesce(f.name, v.name || ' version ' || v.version, p.evidence->>'name') AS name, coalesce(f.account, '') AS account,
            coalesce(f.state, v.state, r.state) AS file_state,
            coalesce(b.rows, f.valid_rows, (p.binding->>'rows')::integer, 0) AS rows,
            coalesce(b.cents, f.valid_cents, (p.binding->>'cents')::bigint, 0) AS cents
     FROM proposal p LEFT JOIN file f USING (file_id) LEFT JOIN batch b USING (file_id, batch_no)
     LEFT JOIN profile_version v USING (profile_no) LEFT JOIN reprocess_run r USING (run_no)
     WHERE p.verdict IS NULL ORDER BY p.proposal_no LIMIT 200`,
  );
  return rows;
}

/** Returns the open proposals about one file and its batches, at most 20. */
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

/** Returns the open proposal about a file as a whole, or about one of its batches; there is at most one. */
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

/** Returns who dropped a file on the dashboard; undefined for a file that arrived another way. */
export async function readMaker({ pool }: Ledger, fileId: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ actor: string }>('SELECT actor FROM upload WHERE file_id = $1', [fileId]);
  return rows[0]?.actor;
}

/** Returns who dropped each of these files on the dashboard, by file id; others are left out. */
export async function readMakers({ pool }: Ledger, fileIds: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ fileId: string; actor: string }>(
    'SELECT file_id AS "fileId", actor FROM upload WHERE file_id = ANY ($1)',
    [fileIds],
  );
  return new Map(rows.map(({ fileId, actor }) => [fileId, actor]));
}
