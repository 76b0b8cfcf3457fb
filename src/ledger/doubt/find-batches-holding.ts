import type { LayoutName } from '../../../schemas/layouts.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { BatchRow } from '../engine/records.ts';

export type HoldingBatch = Pick<
  BatchRow,
  'file_id' | 'batch_no' | 'operation' | 'rows' | 'cents' | 'first_line' | 'last_line'
> & {
  file_no: number;
  name: string;
  layout: LayoutName;
};

/** Finds other batches of the account that hold a row with one of these invoices, latest first, at most 20. */
export async function findBatchesHolding(
  ledger: Ledger,
  batch: BatchRow,
  invoices: readonly string[],
): Promise<HoldingBatch[]> {
  const { rows } = await ledger.pool.query<HoldingBatch>(
    `SELECT DISTINCT f.file_no, f.name, f.layout, b.file_id, b.batch_no, b.operation, b.rows, b.cents,
            b.first_line, b.last_line
     FROM payment_row r JOIN file f USING (file_no) JOIN batch b ON b.file_id = f.file_id AND b.batch_no = r.batch_no
     WHERE r.invoice = ANY($1) AND b.account = $2 AND (b.file_id, b.batch_no) <> ($3, $4)
     ORDER BY f.file_no DESC, b.batch_no LIMIT 20`,
    [invoices, batch.account, batch.file_id, batch.batch_no],
  );
  return rows;
}
