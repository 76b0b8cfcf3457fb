import type { FaultCode } from '../../../schemas/errors.ts';
import type { BatchState, FileState } from '../../../schemas/lifecycle.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { maskName, maskText } from '../../kernel/mask.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { FileRow } from '../engine/records.ts';

export type FoundRow = {
  invoice: string;
  customerCode: string;
  amountCents: number | null;
  lastFour: string;
  line: number;
  fileId: string;
  name: string;
  account: string;
  operation: string;
  fileState: FileState;
  claimedAt: Date;
  batchNo: number | null;
  batchState: BatchState | null;
  batchId: string | null;
  outcome: string | null;
  code: number | null;
  message: string | null;
  /** For a withheld row: the codes of its faults. */
  faults: FaultCode[];
};

/** Returns all rows that ever came with this invoice, newest first, up to `limit`. */
export async function findInvoice(ledger: Ledger, invoice: string, limit = 100): Promise<FoundRow[]> {
  const { rows } = await ledger.pool.query<FoundRow>(
    `SELECT r.invoice, r.customer_code AS "customerCode", r.amount_cents AS "amountCents", r.last_four AS "lastFour",
            r.line, f.file_id AS "fileId", f.name, f.account, f.operation, f.state AS "fileState",
            f.claimed_at AS "claimedAt", r.batch_no AS "batchNo", b.state AS "batchState", b.batch_id AS "batchId",
            o.outcome, o.code, o.message,
            ARRAY(SELECT DISTINCT d.code FROM row_fault d
                  WHERE r.batch_no IS NULL AND d.file_no = r.file_no AND d.line = r.line ORDER BY 1) AS faults
     FROM payment_row r JOIN file f USING (file_no)
     LEFT JOIN batch b ON b.file_id = f.file_id AND b.batch_no = r.batch_no
     LEFT JOIN current_outcome o USING (file_no, line)
     WHERE r.invoice = $1 ORDER BY f.file_no DESC, r.line LIMIT $2`,
    [invoice, limit],
  );
  return rows;
}

/**
 * Finds a file by its id, by its first characters as in output names, or by the sender's name if that is unique. The
 * ledger masks long numbers in names, so the search and its error do, too.
 * @throws PipelineError NOT_FOUND
 */
export async function findFile(ledger: Ledger, words: string): Promise<FileRow> {
  const name = maskName(words);
  const { rows } = await ledger.pool.query<FileRow>(
    `SELECT * FROM file LEFT JOIN file_secret USING (file_id)
     WHERE file_id = $1 OR name IN ($2, $3) OR ($1 ~ '^[0-9a-z]{4,16}$' AND file_id LIKE $1 || '%')
     ORDER BY file_id = $1 DESC, file_no DESC LIMIT 2`,
    // Dates in names used to be masked, too.
    [words, name, maskText(words)],
  );
  const [first, second] = rows;
  if (!first) throw new PipelineError('NOT_FOUND', `find a file "${name}"`);
  if (second && first.file_id !== words) {
    throw new PipelineError('NOT_FOUND', `find one file "${name}"`, 'several files match', {
      next: 'Give the file id; the names of the output files contain its first characters.',
    });
  }
  return first;
}

export type AuditRow = {
  seq: number;
  at: Date;
  actor: string;
  batch_no: number | null;
  move: string;
  from_state: string | null;
  to_state: string | null;
  reason: string;
  evidence: Record<string, unknown>;
};

/** Returns the history of a file: every move of it and its batches, in order. */
export async function readAudit(ledger: Ledger, fileId: string): Promise<AuditRow[]> {
  const { rows } = await ledger.pool.query<AuditRow>(
    'SELECT seq, at, actor, batch_no, move, from_state, to_state, reason, evidence FROM audit WHERE file_id = $1 ORDER BY seq',
    [fileId],
  );
  return rows;
}

/**
 * Walks the hash chain and compares its end with the recorded one.
 * @returns the first entry that was altered or follows a removed one, if any. If entries were cut off or added at the
 *   end, the number of the one that should be last.
 */
export async function verifyAudit(ledger: Ledger): Promise<number | undefined> {
  const { rows } = await ledger.pool.query<{ seq: number }>(
    `WITH link AS (
       SELECT seq, hash, previous,
              lag(hash, 1, '\\x00'::bytea) OVER (ORDER BY seq) AS before_hash,
              audit_hash(previous, seq, at, actor, file_id, batch_no, move, from_state, to_state, reason, evidence) AS due
       FROM audit)
     SELECT seq FROM link WHERE hash <> due OR previous <> before_hash
     UNION ALL
     SELECT head.seq FROM audit_head head
     LEFT JOIN LATERAL (SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1) last ON true
     WHERE head.seq <> coalesce(last.seq, 0) OR head.hash <> coalesce(last.hash, '\\x00'::bytea)
     ORDER BY seq LIMIT 1`,
  );
  return rows[0]?.seq;
}
