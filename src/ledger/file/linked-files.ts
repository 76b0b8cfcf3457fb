import type { FileState } from '../../../schemas/lifecycle.ts';
import type { Ledger } from '../engine/open-ledger.ts';

/** How another file relates to this one. */
export type LinkKind = 'made_from' | 'resubmitted_as' | 'duplicate_of' | 'repeated_by';

/** A related file. A resubmission that has not come through its folder yet has no id. */
export type LinkedFile = {
  kind: LinkKind;
  fileId: string | null;
  name: string;
  state: FileState | null;
  at: Date;
  rows: number | null;
};

/** Returns the files this one was made from, the files made from it, and those with the same content; at most 100. */
export async function readLinkedFiles(ledger: Ledger, fileId: string): Promise<LinkedFile[]> {
  const { rows } = await ledger.pool.query<LinkedFile>(
    `SELECT 'made_from' AS kind, f.file_id AS "fileId", f.name, f.state, r.at, r.rows
     FROM resubmission r JOIN file f USING (file_id) WHERE r.new_file_id = $1
     UNION ALL
     SELECT 'resubmitted_as', r.new_file_id, r.name, f.state, r.at, r.rows
     FROM resubmission r LEFT JOIN file f ON f.file_id = r.new_file_id WHERE r.file_id = $1
     UNION ALL
     SELECT 'duplicate_of', f.file_id, f.name, f.state, f.claimed_at, f.records
     FROM file this JOIN file f ON f.file_id = this.duplicate_of WHERE this.file_id = $1
     UNION ALL
     SELECT 'repeated_by', f.file_id, f.name, f.state, f.claimed_at, f.records FROM file f WHERE f.duplicate_of = $1
     ORDER BY at LIMIT 100`,
    [fileId],
  );
  return rows;
}
