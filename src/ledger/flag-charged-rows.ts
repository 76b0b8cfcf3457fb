import type { FileRow } from './records.ts';
import { CERTAINLY_NOT_CHARGED } from './queries/may-be-charged.ts';
import { SEEN_AMONG_TWINS } from './queries/find-charged-rows.ts';
import type { Transaction } from './transaction.ts';

/** How many rows were flagged, and what is said of the first. */
export type FlaggedRows = { rows: number; detail: string };

/**
 * Flags the rows of a file that stand in another one, by their fingerprints: same account, operation, invoice, amount
 * and payer (F71). A row counts as seen unless it is certain that it was not charged and never will be: it was declined,
 * could not be read by the service, or was cancelled. Rows without an invoice do not count.
 *
 * Done inside the database, where the rows are already: a file may have a million.
 * @param options.since files that were claimed before are not looked at
 * @param options.lastLine last line of the file
 * @param options.firstSeq number of the first of these faults within the file
 * @param options.stepLines lines in one statement; none may take so long that its answer is given up
 */
export async function flagChargedRows(
  tx: Transaction,
  { file_no: fileNo }: FileRow,
  options: { since: Date; lastLine: number; firstSeq: number; stepLines?: number },
): Promise<FlaggedRows> {
  const { since, lastLine, firstSeq, stepLines = 50_000 } = options;
  const flagged = { rows: 0, detail: '' };
  for (let from = 1; from <= lastLine; from += stepLines) {
    const { rows } = await tx.client.query<{ rows: number; detail: string | null }>(FLAG, [
      fileNo,
      since,
      CERTAINLY_NOT_CHARGED,
      firstSeq + flagged.rows,
      from,
      from + stepLines - 1,
    ]);
    const [found] = rows;
    flagged.detail ||= found?.detail ?? '';
    flagged.rows += found?.rows ?? 0;
  }
  return flagged;
}

// First every row is looked up by its fingerprint alone, which nearly never finds one; what is known of the other rows is
// asked of those found only. OFFSET 0 keeps the look-up apart, row by row by its index: this file is so new that the
// planner knows nothing of it, and joined freely it may compare every row with every other.
const FLAG = `
  WITH twin AS MATERIALIZED (
    SELECT r.line, e.file_no, e.line AS earlier_line, e.batch_no
    FROM payment_row r CROSS JOIN LATERAL (
      SELECT file_no, line, batch_no FROM payment_row
      WHERE fingerprint = r.fingerprint AND invoice <> '' AND file_no <> $1 OFFSET 0
    ) e
    WHERE r.file_no = $1 AND r.line BETWEEN $5 AND $6 AND r.fingerprint IS NOT NULL AND r.invoice <> ''
  ), seen AS (${SEEN_AMONG_TWINS}
  ), flagged AS (
    INSERT INTO row_fault (file_no, seq, line, code, detail)
    SELECT $1, $4 + row_number() OVER (ORDER BY line) - 1, line, 'CHARGED_BEFORE',
           'line ' || earlier_line || ' of file ' || file_id
    FROM seen
    RETURNING seq, line, detail
  )
  SELECT count(*) AS rows, (SELECT detail FROM flagged ORDER BY seq LIMIT 1) AS detail FROM flagged`;
