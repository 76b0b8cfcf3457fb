import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BatchOperationName } from '../../../schemas/operations.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { JudgedBatch, JudgedRow } from '../batch/process-batch.ts';
import { type BookFile, noBookFile, openBookFile } from './book-file.ts';
import type { BookRow } from './book-row.ts';
import { type BookSecret, newBookSecret, openBookSecret } from './book-secret.ts';

/** What the sandbox has done with anybody's money. */
export type Books = {
  /**
   * Judges a batch and books it. When the promise is fulfilled the batch is on the disk as a whole; when it is broken
   * nothing of it is booked. Batches are booked one after the other, so two that arrive together with the same row
   * cannot both be charged for it.
   * @returns the id of the batch
   */
  takeBatch(batch: NewBatch): Promise<string>;
  findBatch(account: string, batchId: string): TakenBatch | undefined;
  /** All rows so far, or those of the batches after one. */
  rows(sinceBatchId?: number): readonly BookRow[];
  close(): Promise<void>;
};

export type NewBatch = {
  /** ISO 8601 in UTC, as is `readyAt`. */
  readonly at: string;
  readonly readyAt: string;
  readonly account: string;
  readonly operation: BatchOperationName;
  readonly judge: (isTaken: (key: string) => boolean, keyOf: BookSecret['keyOf']) => JudgedBatch;
};

export type TakenBatch = { readonly readyAt: Date; openResult(): Buffer };

/** A line of the file. One line holds a whole batch, so a crash leaves all of it or nothing. */
type BatchRecord = Omit<NewBatch, 'judge'> & {
  readonly kind: 'batch';
  readonly batchId: string;
  readonly rows: readonly JudgedRow[];
  readonly keys: readonly string[];
  /** The result file, sealed. */
  readonly result: string;
};

const FIRST_BATCH_ID = 1_000_001;

/**
 * Opens the books: `books.jsonl` and `secret` in the folder, which is made when it is missing.
 * @param folder without one the books live as long as the process
 */
export async function openBooks(folder: string | undefined): Promise<Books> {
  if (folder === undefined) return keepBooks(newBookSecret(), () => Promise.resolve(noBookFile));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'books.jsonl');
  const secret = await openBookSecret(join(folder, 'secret'), await isEmpty(path));
  return keepBooks(secret, (onLine) => openBookFile(path, onLine));
}

async function keepBooks(
  secret: BookSecret,
  openFile: (onLine: (line: string) => void) => Promise<BookFile>,
): Promise<Books> {
  const batches = new Map<string, BatchRecord>();
  const keys = new Set<string>();
  let lastBatchId = FIRST_BATCH_ID - 1;
  let last: Promise<unknown> = Promise.resolve();

  function remember(record: BatchRecord): void {
    batches.set(record.batchId, record);
    for (const key of record.keys) keys.add(key);
    lastBatchId = Number(record.batchId);
  }

  const file = await openFile((line) => remember(readRecord(line)));

  async function book({ judge, ...batch }: NewBatch): Promise<string> {
    const batchId = String(lastBatchId + 1);
    const judged = judge((key) => keys.has(key), secret.keyOf);
    const result = secret.seal(judged.result, ownerOf(batchId));
    const record: BatchRecord = { kind: 'batch', batchId, ...batch, rows: judged.rows, keys: judged.keys, result };
    await file.append(JSON.stringify(record));
    remember(record);
    return batchId;
  }

  return {
    takeBatch: (batch) => {
      const taken = last.then(() => book(batch));
      last = taken.catch(() => undefined);
      return taken;
    },
    findBatch: (account, batchId) => {
      const record = batches.get(batchId);
      if (record?.account !== account) return undefined;
      return {
        readyAt: new Date(record.readyAt),
        openResult: () => secret.unseal(record.result, ownerOf(batchId)),
      };
    },
    rows: (sinceBatchId = 0) =>
      [...batches.values()].filter(({ batchId }) => Number(batchId) > sinceBatchId).flatMap(bookRowsOf),
    close: async () => {
      await last;
      await file.close();
    },
  };
}

function ownerOf(batchId: string): string {
  return `batch ${batchId}`;
}

function bookRowsOf({ at, account, operation, batchId, rows }: BatchRecord): BookRow[] {
  return rows.map((row, index) => ({ at, account, operation, batchId, position: index + 1, ...row }));
}

function readRecord(line: string): BatchRecord {
  try {
    return JSON.parse(line) as BatchRecord;
  } catch {
    // The parser's own words would quote the line.
    throw new PipelineError('SEAL_BROKEN', 'read the books of the sandbox', 'a line that was complete is damaged');
  }
}

async function isEmpty(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found === undefined || found.size === 0;
}
