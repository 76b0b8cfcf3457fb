import type { FileRow } from '../engine/records.ts';
import type { Transaction } from '../engine/transaction.ts';

/** Limits of the comparison: rows of this file, and earlier files. */
const ROWS = 200;
const FILES = 20;

/**
 * Finds an earlier file of the account whose lines replace the invoices: each invoice is the number of a line there
 * with the same payer and amount. This happens when rows are cut from a result and the wrong column is removed.
 * @returns the id of that file
 */
export async function findLinesAsInvoices(
  tx: Transaction,
  { file_no: fileNo, account }: Pick<FileRow, 'file_no' | 'account'>,
): Promise<string | undefined> {
  const { rows } = await tx.client.query<{ file_id: string }>(
    `WITH mine AS (SELECT CASE WHEN invoice ~ '^[0-9]{1,9}$' THEN invoice::integer END AS line, customer_code, amount_cents, last_four
                   FROM payment_row WHERE file_no = $1 AND batch_no IS NOT NULL ORDER BY payment_row.line LIMIT ${ROWS}),
       earlier AS (SELECT file_no, file_id FROM file WHERE account = $2 AND file_no < $1
                     AND state IN ('accepted', 'in_progress', 'completed', 'partly_cancelled')
                   ORDER BY file_no DESC LIMIT ${FILES})
     SELECT file_id FROM earlier e
     WHERE NOT EXISTS (SELECT FROM mine WHERE line IS NULL) AND EXISTS (SELECT FROM mine)
       AND NOT EXISTS (SELECT FROM mine m LEFT JOIN payment_row r ON r.file_no = e.file_no AND r.line = m.line
                         AND r.batch_no IS NOT NULL AND r.amount_cents = m.amount_cents
                         AND r.customer_code = m.customer_code AND r.last_four = m.last_four
                       WHERE r.line IS NULL)
     ORDER BY file_no DESC LIMIT 1`,
    [fileNo, account],
  );
  return rows[0]?.file_id;
}
