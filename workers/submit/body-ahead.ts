import type { App } from '../../src/app.ts';
import { reasonOf } from '../../src/kernel/errors.ts';
import type { BatchKey } from '../../src/ledger/engine/move.ts';
import { readNextBatch } from '../../src/ledger/batch/due-work.ts';
import type { BatchRow } from '../../src/ledger/engine/records.ts';
import { readBody } from './read-body.ts';

/** The opened bytes of a batch that nobody has taken up yet. */
export type BodyAhead = { readonly key: BatchKey; readonly sha256: string; readonly body: Buffer };

/**
 * Opens the body of the batch that is next in an account while a call is on its way. A guess that moves nothing: whether the
 * batch may leave is asked when it is taken up, and what cannot be opened is for that moment to deal with.
 */
export async function openAhead(app: App, account: string): Promise<BodyAhead | undefined> {
  try {
    const batch = await readNextBatch(app.ledger, account);
    if (!batch) return undefined;
    const key = { fileId: batch.file_id, batchNo: batch.batch_no };
    return { key, sha256: batch.body_sha256, body: await readBody(app, batch) };
  } catch (error) {
    app.log.debug({ account }, `the next batch was not opened ahead: ${reasonOf(error)}`);
    return undefined;
  }
}

/** Whether it is of this batch, and the bytes that the ledger wants of it now. */
export function isBodyOf({ key, sha256 }: BodyAhead, batch: BatchRow): boolean {
  return key.fileId === batch.file_id && key.batchNo === batch.batch_no && sha256 === batch.body_sha256;
}
