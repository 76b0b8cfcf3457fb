import type { App } from '../../src/app.ts';
import { openBytes } from '../../src/crypto/seal.ts';
import { readCanonical } from '../../src/csv/read/read-canonical.ts';
import { holdsSentRows } from '../../src/csv/write/holds-sent-rows.ts';
import { PipelineError, reasonOf } from '../../src/kernel/errors.ts';
import { sha256Of } from '../../src/kernel/hash.ts';
import { lastFour } from '../../src/kernel/mask.ts';
import { stopAccount } from '../../src/ledger/account/stop-account.ts';
import { callOf, endCall } from '../../src/ledger/batch/commit-send.ts';
import { readNextBatches } from '../../src/ledger/batch/due-work.ts';
import { noPart, readSealedParts, readSentBatches, type SentBatch } from '../../src/ledger/batch/read-sealed-part.ts';
import { keyOf } from '../../src/ledger/engine/move.ts';
import type { BatchRow, FileRow } from '../../src/ledger/engine/records.ts';
import { readSentRows } from '../../src/ledger/file/read-file.ts';
import { bodyPurpose } from '../intake/cut-bodies.ts';
import { noteThrown, noting } from '../note-failures.ts';
import { openFileKey } from '../open-original.ts';
import { markRows } from '../row-marks.ts';

/** Bytes of a batch to send, the mark of all rows of its file, and the marks of its own rows. */
export type Body = { readonly body: Buffer; readonly rowSet: string | null; readonly marks: Buffer };

/** A batch as it was read, and its bytes, proven to be its rows. */
export type ReadBody = Body & { readonly batch: BatchRow };

/** What is kept of a batch: its rows as one text, and its bytes, sealed. */
type Parts = { readonly batch: BatchRow; readonly sent: SentBatch | undefined; readonly sealed: Buffer | undefined };

/** Reads what is kept of batches, one or many. */
async function readParts(app: App, batches: readonly BatchRow[]): Promise<Parts[]> {
  if (batches.length === 0) return [];
  const [sent, sealed] = await Promise.all([
    readSentBatches(app.ledger, batches),
    readSealedParts(app.ledger, batches.map(keyOf), 'body'),
  ]);
  return batches.map((batch, place) => ({
    batch,
    sent: sent.find(({ file, batchNo }) => file.file_id === batch.file_id && batchNo === batch.batch_no),
    sealed: sealed[place],
  }));
}

/**
 * Returns the bytes of a batch, proven to be the rows of the ledger (control total H5).
 * @throws PipelineError BODY_MISMATCH when they are not, and SEAL_BROKEN, MASTER_KEY_WRONG, ORIGINAL_GONE, NOT_FOUND
 */
async function openBody(app: App, { batch, sent: found, sealed }: Parts): Promise<ReadBody> {
  if (!found) throw new PipelineError('NOT_FOUND', `find file "${batch.file_id}"`);
  if (!sealed) throw noPart(keyOf(batch), 'body');
  const { file, sent } = found;
  const body = openBytes(openFileKey(app, file), bodyPurpose(batch.batch_no), sealed);
  const isSame =
    (holdsSentRows(body, file.layout!, sent) || (await areSentRows(app, batch, file, body))) &&
    sha256Of(body) === batch.body_sha256;
  if (isSame) return { batch, body, ...markedAs(app, file, body) };
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

/** Most batches that are read at once, and most rows of them together. */
const MOST_BATCHES = 20;
const MOST_ROWS = 20_000;

/**
 * Reads the next bodies of an account, some at a time, and opens each when it is taken. What was read ahead is a guess
 * without effect: the gate decides which batch may leave, and with which bytes.
 * @param most calls that are expected; by default as many as may be
 */
export function nextBodies(app: App, account: string, most = MOST_BATCHES) {
  let ahead: Parts[] = [];
  let wasAhead = false;
  let isDone = false;
  const read = async () => {
    const batches = await readNextBatches(app.ledger, account, Math.min(most, MOST_BATCHES));
    isDone = batches.length === 0;
    let rows = 0;
    return readParts(
      app,
      batches.filter((batch, place) => (rows += batch.rows) <= MOST_ROWS || place === 0),
    );
  };
  return {
    /** Returns the body that is next now. @throws as `openBody` */
    take: async (): Promise<ReadBody | undefined> => {
      wasAhead = false;
      ahead = await read().catch(async (error: unknown) => {
        await noteThrown(app, { work: 'submit', subject: account, account }, error);
        throw error;
      });
      const parts = ahead.shift();
      return parts && provenOrStopped(app, parts.batch, () => openBody(app, parts));
    },
    /** Returns the next one while a call is in progress. One that cannot be read is left to a later `take`. */
    takeAhead: async (): Promise<ReadBody | undefined> => {
      wasAhead = true;
      try {
        if (ahead.length === 0) ahead = await read();
        const parts = ahead.shift();
        return parts && (await openBody(app, parts));
      } catch (error) {
        app.log.debug({ account }, `the next batch was not read ahead: ${reasonOf(error)}`);
        ahead = [];
        return undefined;
      }
    },
    /** Whether nothing was left when it was looked for last. */
    isDone: (): boolean => isDone && ahead.length === 0,
    /** Whether what was taken last may have changed since it was read. */
    wasAhead: (): boolean => wasAhead,
  };
}

/**
 * Opens the body of a batch that is to be sent now. When it cannot be proven, the batch waits longer, and its account stops if
 * waiting does not help.
 * @throws PipelineError as `openBody`
 */
async function provenOrStopped(app: App, batch: BatchRow, work: () => Promise<ReadBody>): Promise<ReadBody> {
  const key = keyOf(batch);
  const item = { work: 'submit', subject: `${key.fileId}/${key.batchNo}`, ...key } as const;
  try {
    return await noting(app, item, work);
  } catch (error) {
    const reason = error instanceof PipelineError ? error.message : 'the body of a batch cannot be read';
    const call = callOf(app.ledger, batch);
    if (call) await endCall(app.ledger, call, { verdict: 'not_sent', reason, evidence: {} });
    if (error instanceof PipelineError && STOPPING.has(error.code))
      await stopAccount(app.ledger, batch.account, `batch ${key.batchNo} of file "${key.fileId}": ${reason}`);
    throw error;
  }
}

/** Faults of the data, which waiting does not fix; a brief database outage is none. */
const STOPPING: ReadonlySet<string> = new Set([
  'BODY_MISMATCH',
  'SEAL_BROKEN',
  'ORIGINAL_GONE',
  'MASTER_KEY_WRONG',
  'NOT_FOUND',
]);
