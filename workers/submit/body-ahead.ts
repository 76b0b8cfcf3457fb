import type { App } from '../../src/app.ts';
import { reasonOf } from '../../src/kernel/errors.ts';
import type { BatchKey } from '../../src/ledger/engine/move.ts';
import { readNextBatch } from '../../src/ledger/batch/due-work.ts';
import type { BatchRow } from '../../src/ledger/engine/records.ts';
import { readBody } from './read-body.ts';

/** Opened bytes of a batch that is not taken up yet. */
export type BodyAhead = { readonly key: BatchKey; readonly sha256: string; readonly body: Buffer };

/**
 * Opens the body of the account's next batch while a call is in progress. It is a guess without effect: taking up the
 * batch decides whether it may leave, and handles a body that does not open.
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

/** Returns whether it is of this batch, with the bytes that the ledger expects now. */
export function isBodyOf({ key, sha256 }: BodyAhead, batch: BatchRow): boolean {
  return key.fileId === batch.file_id && key.batchNo === batch.batch_no && sha256 === batch.body_sha256;
}
