import type { FolderOperation } from '../../../schemas/operations.ts';
import type { Transaction } from '../transaction.ts';

export type NewBatch = {
  fileId: string;
  batchNo: number;
  account: string;
  operation: FolderOperation;
  rows: number;
  cents: number;
  bodySha256: string;
  sealedBody: Buffer;
};

/** Move `cut`: a batch of accepted rows with its canonical bytes, sealed. Its audit link is that of the file. */
export async function cutBatch(tx: Transaction, batch: NewBatch): Promise<void> {
  await tx.client.query(
    `INSERT INTO batch (file_id, batch_no, account, operation, state, state_at, rows, cents, body_sha256)
     VALUES ($1, $2, $3, $4, 'ready', $5, $6, $7, $8)`,
    [batch.fileId, batch.batchNo, batch.account, batch.operation, tx.at, batch.rows, batch.cents, batch.bodySha256],
  );
  await tx.client.query(`INSERT INTO sealed_part (file_id, batch_no, part, bytes) VALUES ($1, $2, 'body', $3)`, [
    batch.fileId,
    batch.batchNo,
    batch.sealedBody,
  ]);
}
