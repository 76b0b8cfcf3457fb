import { FOLDER_OPERATIONS, type FolderOperation } from '../../../schemas/operations.ts';
import type { World } from '../world.ts';

/** A batch as the ledger holds it, read without product code, with what was recorded about it. */
export type SeenBatch = {
  fileId: string;
  name: string;
  batchNo: number;
  account: string;
  operation: FolderOperation;
  state: string;
  batchId: string | null;
  /** Attempts not proven to have sent nothing. */
  sends: number;
  /** Recorded resolutions that allow another send although the batch may have been sent before. */
  pardons: number;
  lastMove: string | null;
  /** Its rows in order, each with invoice, cents and customer code. */
  rows: string;
};

export async function readBatches(world: World): Promise<SeenBatch[]> {
  const { rows } = await world.office.pool.query<SeenBatch>(
    `SELECT b.file_id AS "fileId", f.name, b.batch_no AS "batchNo", b.account, b.operation, b.state,
            b.batch_id AS "batchId",
            (SELECT count(*)::int FROM attempt a WHERE a.file_id = b.file_id AND a.batch_no = b.batch_no
               AND a.verdict IS DISTINCT FROM 'not_sent') AS sends,
            (SELECT count(*)::int FROM audit a WHERE a.file_id = b.file_id AND a.batch_no = b.batch_no
               AND a.move = 'absolve') AS pardons,
            (SELECT a.to_state FROM audit a WHERE a.file_id = b.file_id AND a.batch_no = b.batch_no
               AND a.to_state IS NOT NULL ORDER BY a.seq DESC LIMIT 1) AS "lastMove",
            (SELECT string_agg(concat_ws('|', r.invoice, r.amount_cents, r.customer_code), ';' ORDER BY r.line)
               FROM payment_row r WHERE r.file_no = f.file_no AND r.batch_no = b.batch_no) AS rows
     FROM batch b JOIN file f USING (file_id) ORDER BY f.file_no, b.batch_no`,
  );
  return rows;
}

/** Returns what identifies the content of a batch: agent code, operation, and its rows in order. */
export function contentOf(world: World, batch: SeenBatch): string {
  const { agentCode } = world.settings.accounts.get(batch.account)!;
  return [agentCode, FOLDER_OPERATIONS[batch.operation].operation.toLowerCase(), batch.rows].join(' ');
}

export type BookedBatch = { batchId: string; content: string };

/** Returns the batches that the service has taken, from its books alone. */
export function readBooks(world: World): BookedBatch[] {
  const batches = new Map<string, { batchId: string; head: string; rows: string[] }>();
  for (const row of world.sandbox.books()) {
    const key = `${row.account} ${row.batchId}`;
    const batch = batches.get(key) ?? {
      batchId: row.batchId,
      head: `${row.account} ${row.operation.toLowerCase()}`,
      rows: [],
    };
    batch.rows.push([row.invoice, row.amountCents, row.customerCode].join('|'));
    batches.set(key, batch);
  }
  return [...batches.values()].map(({ batchId, head, rows }) => ({ batchId, content: `${head} ${rows.join(';')}` }));
}
