import type { Profile } from '../../schemas/profiles.ts';
import type { App } from '../../src/app.ts';
import { crashPoint } from '../../src/kernel/crash-point.ts';
import type { Fault } from '../../src/rows/rows.ts';
import { noteProgress } from '../../src/ledger/file/count-readings.ts';
import { copyFaults, cutBatches } from '../../src/ledger/row/copy-rows.ts';
import type { FlaggedRows } from '../../src/ledger/duplicates/flag-charged-rows.ts';
import type { Transaction } from '../../src/ledger/engine/transaction.ts';
import {
  type Chunk,
  READ_CONTENT,
  type Reading,
  type ReadingOrder,
  type ReadingProgress,
  runTask,
} from './read-content.ts';
import type { Folder } from '../../src/config/config.ts';
import { limitsOf } from '../../src/config/account-rules.ts';
import { dayInZone } from '../../src/calendar/zone-time.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { fingerprintKeyOf } from './fingerprint-row.ts';
import { rowSetKey } from '../../src/crypto/fingerprints/row-set.ts';
import { findContent } from '../open-original.ts';

/** What was read, and a store for what is added later. */
export type StoredRows = Omit<Reading, 'faults'> & { store: RowStore };

export type RowStore = {
  /** Writes faults after the existing ones. */
  addFaults(faults: readonly Fault[]): Promise<void>;
  /** Lets the caller write row faults, numbered from `firstSeq` on. */
  flagRows(flag: (firstSeq: number) => Promise<FlaggedRows[]>): Promise<FlaggedRows[]>;
};

/**
 * Reads a file and writes it into the ledger as it comes: every row and fault, and every full batch, sealed. Reading
 * and writing overlap; the reader is never more than a few chunks ahead.
 * @param contentBytes how much there is to read
 * @throws ThreadDeath when the thread that reads a large file dies
 */
export async function storeRows(
  app: App,
  tx: Transaction,
  order: ReadingOrder,
  contentBytes: number,
): Promise<StoredRows> {
  const chunks = contentBytes < THREAD_BYTES ? runTask(order) : app.thread.run<Chunk, Reading>(READ_CONTENT, order);
  const { faults, ...reading } = await storeChunks(tx, chunks, progressNoter(app, order.source.fileId, contentBytes));
  return { ...reading, store: faultWriter(tx, order.fileNo, faults + 1) };
}

/**
 * Size in bytes from which a thread reads a file. Below it, reading here in blocks takes less time than a thread needs
 * to start and compile its code.
 */
export const THREAD_BYTES = 2 * 1024 * 1024;

async function storeChunks(
  tx: Transaction,
  chunks: AsyncGenerator<Chunk, Reading>,
  note: (progress: ReadingProgress) => void,
): Promise<Reading> {
  try {
    for (;;) {
      const step = await chunks.next();
      if (step.done) return step.value;
      await storeChunk(tx, step.value);
      if (step.value.progress) note(step.value.progress);
    }
  } finally {
    // After a failure here, no reader stays behind waiting.
    await chunks.return(undefined as never);
  }
}

const PROGRESS_MS = 2_000;

/**
 * Records every few seconds how far the reading has come. Nothing waits for it: it goes over a connection of its own,
 * because the rows are not committed yet, and what is lost is only shown later.
 */
export function progressNoter(
  app: Pick<App, 'ledger'>,
  fileId: string,
  contentBytes: number,
  everyMs = PROGRESS_MS,
): (progress: ReadingProgress) => void {
  let notedAt = performance.now();
  let isNoting = false;
  return ({ rows, bytes }) => {
    if (isNoting || performance.now() - notedAt < everyMs) return;
    isNoting = true;
    notedAt = performance.now();
    const expected = Math.max(rows, Math.round((rows * contentBytes) / bytes));
    void noteProgress(app.ledger, fileId, rows, expected)
      .catch(() => undefined)
      .finally(() => {
        isNoting = false;
      });
  };
}

async function storeChunk(tx: Transaction, { rows, fingerprints, faults, ...batches }: Chunk): Promise<void> {
  await cutBatches(tx, batches, [
    ['rows', rows],
    ['fingerprints', fingerprints],
    ['faults', faults],
  ]);
  if (batches.batches) crashPoint('intake.batch-cut');
  crashPoint('intake.rows-copied');
}

function faultWriter(tx: Transaction, fileNo: number, firstSeq: number): RowStore {
  let seq = firstSeq;
  return {
    addFaults: async (faults) => {
      await copyFaults(tx, fileNo, seq, faults);
      seq += faults.length;
    },
    flagRows: async (flag) => {
      const flagged = await flag(seq);
      for (const { rows } of flagged) seq += rows;
      return flagged;
    },
  };
}

/**
 * Returns all that the reader of a file needs, and no more: a thread gets a copy.
 * @param volume for the fingerprints of its rows
 * @throws PipelineError OTHER_SITE, ORIGINAL_GONE
 */
export function orderReading(
  app: App,
  tx: Transaction,
  file: FileRow,
  { folder, volume, profile }: { folder: Folder; volume: number; profile?: Profile | undefined },
): ReadingOrder {
  const { server, country, currency, serviceLimits, timeZone, limits } = app.account(file.account);
  return {
    source: findContent(app, file),
    rules: {
      operation: file.operation,
      account: { server, country, currency, serviceLimits },
      folder,
      profile,
      today: dayInZone(app.clock.now(), timeZone),
      largestRowCents: limitsOf({ limits }, folder).rowCents,
    },
    fileNo: file.file_no,
    volume,
    account: file.account,
    operation: file.operation,
    at: tx.at,
    maxRows: file.output_form.mostRows,
    fingerprintKey: fingerprintKeyOf(app, file),
    rowSetKey: rowSetKey(app.fingerprint),
  };
}
