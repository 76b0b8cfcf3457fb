import type { FileRow } from '../engine/records.ts';
import type { Transaction } from '../engine/transaction.ts';

/** Returns SQL for the shape of a text, with runs of letters or digits as one: `A10000042` and `B7` are alike. */
const shapeOf = (text: string) =>
  `regexp_replace(regexp_replace(upper(${text}), '[[:alpha:]]+', 'A', 'g'), '[0-9]+', '9', 'g')`;

/** Limits of the comparison: rows per file, and earlier files. */
const ROWS = 200;
const FILES = 20;

/**
 * Returns whether customer code and invoice of a file seem swapped. None of its codes has the shape of one that its
 * account used before, and all of its invoices do. Without a header, nothing else distinguishes the two.
 */
export async function hasSwappedColumns(
  tx: Transaction,
  { file_no: fileNo, account }: Pick<FileRow, 'file_no' | 'account'>,
): Promise<boolean> {
  const { rows } = await tx.client.query<{ swapped: boolean }>(
    `WITH mine AS (SELECT ${shapeOf('customer_code')} AS code, ${shapeOf('invoice')} AS invoice FROM payment_row
                   WHERE file_no = $1 AND customer_code <> '' AND invoice <> '' ORDER BY line LIMIT ${ROWS}),
       earlier AS (SELECT file_no FROM file WHERE account = $2 AND file_no < $1 AND layout IN ('card-code', 'ach-code')
                     AND state IN ('accepted', 'in_progress', 'completed', 'partly_cancelled')
                   ORDER BY file_no DESC LIMIT ${FILES}),
       used AS (SELECT DISTINCT ${shapeOf('r.customer_code')} AS code FROM earlier e CROSS JOIN LATERAL
                  (SELECT customer_code FROM payment_row WHERE file_no = e.file_no AND customer_code <> '' LIMIT ${ROWS}) r)
     SELECT coalesce(bool_and(invoice IN (SELECT code FROM used) AND code NOT IN (SELECT code FROM used)), false) AS swapped
     FROM mine`,
    [fileNo, account],
  );
  return rows[0]!.swapped;
}
