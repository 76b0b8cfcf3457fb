import type { Ledger } from '../engine/open-ledger.ts';
import type { LedgerRow } from '../engine/records.ts';

/** A row whose outcome changed, with its new and old values. */
export type ChangedRow = LedgerRow & {
  old_outcome: string;
  old_code: number | null;
  old_message: string;
  at: Date;
  source: string;
};

/** Returns the rows of one correction in line order. */
export async function readChanges(ledger: Ledger, fileNo: number, correctionNo: number): Promise<ChangedRow[]> {
  const { rows } = await ledger.pool.query<ChangedRow>(
    `SELECT r.line, r.batch_no, r.invoice, r.customer_code, r.amount_cents, r.last_four,
            c.outcome, c.code, c.message, c."authorization", c.old_outcome, c.old_code, c.old_message, c.at, c.source
     FROM outcome_change c JOIN payment_row r USING (file_no, line)
     WHERE c.file_no = $1 AND c.correction_no = $2 ORDER BY r.line`,
    [fileNo, correctionNo],
  );
  return rows;
}

/**
 * SQL for corrections whose files are due: the result they correct is written, and they are not. Few rows ever change.
 */
export const UNWRITTEN_CORRECTIONS = `
  SELECT DISTINCT changed.file_no, changed.correction_no FROM row_change changed JOIN file owner USING (file_no)
  WHERE EXISTS (SELECT 1 FROM output o WHERE o.file_id = owner.file_id AND o.kind = 'result')
    AND NOT EXISTS (SELECT 1 FROM output o WHERE o.file_id = owner.file_id AND o.kind = 'correction-txt'
                    AND o.number = changed.correction_no)`;
