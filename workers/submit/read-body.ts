import type { App } from '../../src/app.ts';
import { holdsSentRows } from '../../src/csv/write/holds-sent-rows.ts';
import { readCanonical } from '../../src/csv/read/read-canonical.ts';
import { PipelineError } from '../../src/kernel/errors.ts';
import { sha256Of } from '../../src/kernel/hash.ts';
import { lastFour } from '../../src/kernel/mask.ts';
import { readSentRows } from '../../src/ledger/file/read-file.ts';
import { readSealedPart, readSentBatch } from '../../src/ledger/batch/read-sealed-part.ts';
import type { BatchRow, FileRow } from '../../src/ledger/engine/records.ts';
import { openBytes } from '../../src/crypto/seal.ts';
import { bodyPurpose } from '../intake/cut-bodies.ts';
import { openFileKey } from '../open-original.ts';

/**
 * Returns the bytes of a batch, proven to be the rows of the ledger (control total H5).
 * @throws PipelineError BODY_MISMATCH when they are not, and SEAL_BROKEN, MASTER_KEY_WRONG, ORIGINAL_GONE, NOT_FOUND
 */
export async function readBody(app: App, batch: BatchRow): Promise<Buffer> {
  const key = { fileId: batch.file_id, batchNo: batch.batch_no };
  const [{ file, sent }, sealed] = await Promise.all([
    readSentBatch(app.ledger, batch),
    readSealedPart(app.ledger, key, 'body'),
  ]);
  const body = openBytes(openFileKey(app, file), bodyPurpose(batch.batch_no), sealed);
  const isSame =
    (holdsSentRows(body, file.layout!, sent) || (await areSentRows(app, batch, file, body))) &&
    sha256Of(body) === batch.body_sha256;
  if (isSame) return body;
  throw new PipelineError('BODY_MISMATCH', `send batch ${batch.batch_no} of file "${batch.file_id}"`);
}

/**
 * Compares row by row a body that failed the quick comparison.
 * @throws PipelineError BODY_MISMATCH when the bytes are not rows of the layout
 */
async function areSentRows(app: App, batch: BatchRow, file: FileRow, body: Buffer): Promise<boolean> {
  const rows = readCanonical(body, file.layout!);
  const kept = await readSentRows(app.ledger, file.file_no, batch);
  return (
    rows.length === kept.length &&
    kept.every((row, index) => {
      const sent = rows[index]!;
      return (
        sent.invoice === row.invoice &&
        sent.customerCode === row.customerCode &&
        sent.amountCents === row.amountCents &&
        lastFour(sent.number) === row.lastFour
      );
    })
  );
}
