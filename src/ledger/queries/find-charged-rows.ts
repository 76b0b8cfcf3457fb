import { findVolumes } from '../fingerprint-volumes.ts';
import type { Ledger } from '../open-ledger.ts';
import { CERTAINLY_NOT_CHARGED } from './may-be-charged.ts';

/**
 * SQL: of the rows of other files that have the same fingerprint (`twin`: line, file_no, earlier_line), the
 * first for each line that may have been charged. `$2` is since when files count, `$3` CERTAINLY_NOT_CHARGED.
 */
export const SEEN_AMONG_TWINS = `
    SELECT DISTINCT ON (t.line) t.line, t.earlier_line, f.file_id
    FROM twin t
    JOIN file f ON f.file_no = t.file_no AND f.claimed_at >= $2
    JOIN batch b ON b.file_id = f.file_id AND b.state <> 'cancelled'
     AND b.batch_no = (SELECT r.batch_no FROM payment_row r WHERE r.file_no = t.file_no AND r.line = t.earlier_line)
    WHERE coalesce((SELECT o.outcome FROM current_outcome o WHERE o.file_no = t.file_no AND o.line = t.earlier_line), '')
          <> ALL ($3)
    ORDER BY t.line, t.file_no, t.earlier_line`;

/** A row of a file that is not in the ledger, with its print (vault/row-print.ts). */
export type MarkedRow = { line: number; print: bigint };

/** A line, and which earlier row it repeats. */
export type ChargedRow = { line: number; detail: string };

/**
 * Which of these rows stand in a file of the ledger and may have been charged (F71). They must have an invoice: rows
 * without one do not count. See flagChargedRows, which asks the same of rows that are in the ledger.
 * @param since files that were claimed before are not looked at
 */
export async function findChargedRows(
  { pool }: Ledger,
  account: string,
  marked: readonly MarkedRow[],
  since: Date,
): Promise<ChargedRow[]> {
  if (marked.length === 0) return [];
  const volumes = await findVolumes(pool, account, since);
  if (volumes.length === 0) return [];
  const { rows } = await pool.query<ChargedRow>(FIND, [
    marked.map((row) => row.print),
    since,
    CERTAINLY_NOT_CHARGED,
    marked.map((row) => row.line),
    volumes,
  ]);
  return rows;
}

const FIND = `
  WITH twin AS MATERIALIZED (
    SELECT r.line, e.file_no, e.line AS earlier_line
    FROM unnest($5::bigint[]) AS v (volume) CROSS JOIN unnest($1::bigint[], $4::integer[]) AS r (print, line)
    CROSS JOIN LATERAL (
      SELECT file_no, line FROM row_print p WHERE p.volume = v.volume AND p.print = r.print OFFSET 0
    ) e
  ), seen AS (${SEEN_AMONG_TWINS})
  SELECT line, 'line ' || earlier_line || ' of file ' || file_id AS detail FROM seen ORDER BY line`;
