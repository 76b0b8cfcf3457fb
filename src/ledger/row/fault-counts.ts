import type { FaultCode } from '../../../schemas/errors.ts';
import type { Ledger } from '../engine/open-ledger.ts';

/** A code that was said of a file, of how many rows, and the particulars of the first. `line` is 0 for the file as a whole. */
export type FaultCount = { code: FaultCode; count: number; line: number; detail: string | null };

/**
 * What was said of a file, each code once with its rows, in the order in which they were found first. A row may have a
 * fault in two of its cells.
 */
export async function readFaultCounts(ledger: Ledger, fileNo: number): Promise<FaultCount[]> {
  const { rows } = await ledger.pool.query<FaultCount>(
    `SELECT f.code, n.count, f.line, f.detail
     FROM (SELECT code, count(DISTINCT line) AS count, min(seq) AS seq FROM row_fault WHERE file_no = $1 GROUP BY code) n
     JOIN row_fault f ON f.file_no = $1 AND f.seq = n.seq ORDER BY f.seq`,
    [fileNo],
  );
  return rows;
}
