import type { App } from '../src/app.ts';
import { IS_UNSENT } from '../src/ledger/batch/conditions.ts';
import { readCanonical } from '../src/csv/read/read-canonical.ts';
import { openBytes } from '../src/crypto/seal.ts';
import { readSealedPart } from '../src/ledger/batch/read-sealed-part.ts';
import { findForgottenRows, type ForgottenRow, numbersOf } from '../src/ledger/duplicates/find-forgotten-rows.ts';
import type { FileRow } from '../src/ledger/engine/records.ts';
import type { Transaction } from '../src/ledger/engine/transaction.ts';
import { bodyPurpose } from './intake/cut-bodies.ts';
import { openFileKey } from './open-original.ts';
import { markRows } from './row-marks.ts';

/** Rows of a batch that a forgotten call may have held. */
type ForgottenInBatch = { batchNo: number; rows: ForgottenRow[] };

/**
 * Compares the unsent batches of a file with the calls that the ledger has forgotten. The rows are read from the sealed
 * bodies and marked as they are when they are sent, so both marks are of the same bytes. Only an account with forgotten
 * calls pays for it.
 * @param tx the transaction that wrote the batches, if it has not ended
 */
export async function findForgottenInFile(
  app: Pick<App, 'keys' | 'fingerprint' | 'ledger'>,
  file: FileRow,
  tx?: Transaction,
): Promise<ForgottenInBatch[]> {
  const client = tx?.client ?? app.ledger.pool;
  const { rows: batches } = await client.query<{ batchNo: number; lines: number[] }>(
    `SELECT b.batch_no AS "batchNo", ARRAY(SELECT line FROM payment_row r
       WHERE r.file_no = $2 AND r.batch_no = b.batch_no AND r.line BETWEEN b.first_line AND b.last_line ORDER BY line) AS lines
     FROM batch b WHERE file_id = $1 AND ${IS_UNSENT} ORDER BY batch_no`,
    [file.file_id, file.file_no],
  );
  const dataKey = batches.length > 0 ? openFileKey(app, file) : undefined;
  const found: ForgottenInBatch[] = [];
  for (const { batchNo, lines } of batches) {
    const key = { fileId: file.file_id, batchNo };
    const sealed = await readSealedPart(app.ledger, key, 'body', tx?.client);
    const rows = readCanonical(openBytes(dataKey!, bodyPurpose(batchNo), sealed), file.layout!);
    const { marks, rowOf } = markRows(app, file, rows);
    const marked = numbersOf(marks).map((mark, place) => ({
      line: lines[rowOf[place]!]!,
      mark,
      hasInvoice: rows[rowOf[place]!]!.invoice !== '',
    }));
    const forgotten = await findForgottenRows(client, file.account, marked);
    if (forgotten.length > 0) found.push({ batchNo, rows: forgotten });
  }
  return found;
}
