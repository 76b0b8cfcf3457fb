import type { App } from '../../src/app.ts';
import { holdsSentRows } from '../../src/csv/write/holds-sent-rows.ts';
import { readCanonical } from '../../src/csv/read/read-canonical.ts';
import { PipelineError, reasonOf } from '../../src/kernel/errors.ts';
import { sha256Of } from '../../src/kernel/hash.ts';
import { lastFour } from '../../src/kernel/mask.ts';
import { readSentRows } from '../../src/ledger/file/read-file.ts';
import { readSealedPart, readSentBatch } from '../../src/ledger/batch/read-sealed-part.ts';
import type { BatchRow, FileRow } from '../../src/ledger/engine/records.ts';
import { openBytes } from '../../src/crypto/seal.ts';
import { bodyPurpose } from '../intake/cut-bodies.ts';
import { openFileKey } from '../open-original.ts';
import { markRows } from '../row-marks.ts';
import { type BatchKey, keyOf } from '../../src/ledger/engine/move.ts';
import { readNextBatch } from '../../src/ledger/batch/due-work.ts';

/** Bytes of a batch to send, the mark of all rows of its file, and the marks of its own rows. */
export type Body = { readonly body: Buffer; readonly rowSet: string | null; readonly marks: Buffer };

/**
 * Returns the bytes of a batch, proven to be the rows of the ledger (control total H5).
 * @throws PipelineError BODY_MISMATCH when they are not, and SEAL_BROKEN, MASTER_KEY_WRONG, ORIGINAL_GONE, NOT_FOUND
 */
export async function readBody(app: App, batch: BatchRow): Promise<Body> {
  const [{ file, sent }, sealed] = await Promise.all([
    readSentBatch(app.ledger, batch),
    readSealedPart(app.ledger, keyOf(batch), 'body'),
  ]);
  const body = openBytes(openFileKey(app, file), bodyPurpose(batch.batch_no), sealed);
  const isSame =
    (holdsSentRows(body, file.layout!, sent) || (await areSentRows(app, batch, file, body))) &&
    sha256Of(body) === batch.body_sha256;
  if (isSame) return { body, ...markedAs(app, file, body) };
  throw new PipelineError('BODY_MISMATCH', `send batch ${batch.batch_no} of file "${batch.file_id}"`);
}

function markedAs(app: App, file: FileRow, body: Buffer): Pick<Body, 'rowSet' | 'marks'> {
  return { rowSet: file.row_set, marks: markRows(app, file, readCanonical(body, file.layout!)).marks };
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

/** Opened bytes of a batch that is not taken up yet. */
export type BodyAhead = Body & { readonly key: BatchKey; readonly sha256: string };

/**
 * Opens the body of the account's next batch while a call is in progress. It is a guess without effect: taking up the
 * batch decides whether it may leave, and handles a body that does not open.
 */
export async function openAhead(app: App, account: string): Promise<BodyAhead | undefined> {
  try {
    const batch = await readNextBatch(app.ledger, account);
    if (!batch) return undefined;
    return { key: keyOf(batch), sha256: batch.body_sha256, ...(await readBody(app, batch)) };
  } catch (error) {
    app.log.debug({ account }, `the next batch was not opened ahead: ${reasonOf(error)}`);
    return undefined;
  }
}

/** Returns whether it is of this batch, with the bytes that the ledger expects now. */
export function isBodyOf({ key, sha256 }: BodyAhead, batch: BatchRow): boolean {
  return key.fileId === batch.file_id && key.batchNo === batch.batch_no && sha256 === batch.body_sha256;
}
