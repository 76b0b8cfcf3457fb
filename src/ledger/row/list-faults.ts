import type { FaultCode } from '../../../schemas/errors.ts';
import type { Ledger } from '../engine/open-ledger.ts';

/** A fault or warning of a file; `line` is 0 for the file as a whole, `value` is masked. */
export type ListedFault = {
  seq: number;
  line: number;
  column: string | null;
  code: FaultCode;
  detail: string | null;
  value: string | null;
};

/** Returns faults of a file in the order found, from the number `from` on. */
export async function listFaults(
  ledger: Ledger,
  fileNo: number,
  { from, limit }: { from: number; limit: number },
): Promise<ListedFault[]> {
  const { rows } = await ledger.pool.query<ListedFault>(
    `SELECT seq, line, column_name AS "column", code, detail, value FROM row_fault
     WHERE file_no = $1 AND seq >= $2 ORDER BY seq LIMIT $3`,
    [fileNo, from, limit],
  );
  return rows;
}
