import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PipelineError } from '../../kernel/errors.ts';
import type { JudgedBatch } from '../batch/process-batch.ts';
import type { PaymentKind } from '../customers/customer.ts';
import type { BatchLine, BookLine, NewEntry } from './book-entry.ts';
import { type BookFile, noBookFile, openBookFile } from './book-file.ts';
import type { BookRow } from './book-row.ts';
import { type BookSecret, newBookSecret, openBookSecret } from './book-secret.ts';
import { type CustomerBook, keepCustomers } from './customer-book.ts';
import { keepTransactions, type TransactionBook } from './transaction-book.ts';

/** What the sandbox has done with anybody's money, and the customer records that it keeps. */
export type Books = {
  /**
   * Judges a batch and books it. When the promise is fulfilled the batch is on the disk as a whole; when it is broken
   * nothing of it is booked. Batches are booked one after the other, so two that arrive together with the same row
   * cannot both be charged for it.
   * @returns the id of the batch
   */
  takeBatch(batch: NewBatch): Promise<string>;
  /**
   * Decides with the books at hand and books what comes of it, if anything, under the same promise as a batch. Nobody
   * else books between the look and the line, so two refunds that arrive together cannot both use up the same charge.
   * @returns the answer of the decision
   */
  decide<Result>(decision: () => { readonly entry?: NewEntry; readonly answer: Result }): Promise<Result>;
  readonly transactions: Omit<TransactionBook, 'keep'>;
  readonly customers: Pick<CustomerBook, 'find' | 'list' | 'nextCode'>;
  /** Makes a key of its parts that does not give them away. */
  readonly keyOf: BookSecret['keyOf'];
  findBatch(account: string, batchId: string): TakenBatch | undefined;
  /** All rows so far, or those that were booked after a batch. */
  rows(sinceBatchId?: number): readonly BookRow[];
  close(): Promise<void>;
};

export type NewBatch = Pick<BatchLine, 'at' | 'readyAt' | 'account' | 'operation'> & {
  readonly judge: (
    isTaken: (key: string) => boolean,
    keyOf: BookSecret['keyOf'],
    paymentOf: (customerCode: string) => PaymentKind | undefined,
  ) => JudgedBatch;
};

export type TakenBatch = { readonly readyAt: Date; openResult(): Buffer };

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
  const batches = new Map<string, BatchLine>();
  const keys = new Set<string>();
  const transactions = keepTransactions();
  const customers = keepCustomers(secret);
  /** In the order of the file, each with the batch that it belongs to or that came before it. */
  const pages: { readonly batchId: number; readonly isBatch: boolean; readonly rows: readonly BookRow[] }[] = [];
  let lastBatchId = FIRST_BATCH_ID - 1;
  let last: Promise<unknown> = Promise.resolve();

  function remember(line: BookLine): void {
    switch (line.kind) {
      case 'batch':
        batches.set(line.batchId, line);
        for (const key of line.keys) keys.add(key);
        lastBatchId = Number(line.batchId);
        pages.push({ batchId: lastBatchId, isBatch: true, rows: bookRowsOf(line) });
        return;
      case 'transaction':
        transactions.keep(line);
        if (line.customer) customers.keep(line.customer);
        pages.push({ batchId: lastBatchId, isBatch: false, rows: [line.row] });
        return;
      case 'customer':
        customers.keep(line.customer);
        return;
      case 'deletion':
        customers.forget(line.key);
    }
  }

  const file = await openFile((line) => remember(readLine(line)));

  /** One after the other, whatever becomes of those before. */
  function queue<Result>(step: () => Promise<Result>): Promise<Result> {
    const done = last.then(step);
    last = done.catch(() => undefined);
    return done;
  }

  async function write(line: BookLine): Promise<void> {
    await file.append(JSON.stringify(line));
    remember(line);
  }

  async function book({ judge, ...batch }: NewBatch): Promise<string> {
    const batchId = String(lastBatchId + 1);
    const judged = judge(
      (key) => keys.has(key),
      secret.keyOf,
      (customerCode) => customers.paymentOf(batch.account, customerCode),
    );
    const result = secret.seal(judged.result, ownerOf(batchId));
    await write({ kind: 'batch', batchId, ...batch, rows: judged.rows, keys: judged.keys, result });
    return batchId;
  }

  return {
    takeBatch: (batch) => queue(() => book(batch)),
    decide: (decision) =>
      queue(async () => {
        const { entry, answer } = decision();
        const line = entry && lineOf(entry, customers);
        if (line) await write(line);
        return answer;
      }),
    transactions,
    customers,
    keyOf: secret.keyOf,
    findBatch: (account, batchId) => {
      const record = batches.get(batchId);
      if (record?.account !== account) return undefined;
      return {
        readyAt: new Date(record.readyAt),
        openResult: () => secret.unseal(record.result, ownerOf(batchId)),
      };
    },
    rows: (sinceBatchId = 0) =>
      pages
        .filter(({ batchId, isBatch }) => batchId > sinceBatchId || (!isBatch && batchId === sinceBatchId))
        .flatMap(({ rows }) => rows),
    close: async () => {
      await last;
      await file.close();
    },
  };
}

function lineOf({ transaction, customer, deletion }: NewEntry, customers: CustomerBook): BookLine | undefined {
  const stored = customer && customers.seal(customer.account, customer.record);
  if (transaction) return { kind: 'transaction', ...transaction, ...(stored ? { customer: stored } : {}) };
  if (stored) return { kind: 'customer', customer: stored };
  return deletion && { kind: 'deletion', key: customers.keyOf(deletion.account, deletion.code) };
}

function ownerOf(batchId: string): string {
  return `batch ${batchId}`;
}

function bookRowsOf({ at, account, operation, batchId, rows }: BatchLine): BookRow[] {
  return rows.map((row, index) => ({ at, account, operation, batchId, position: index + 1, ...row }));
}

function readLine(line: string): BookLine {
  try {
    return JSON.parse(line) as BookLine;
  } catch {
    // The parser's own words would quote the line.
    throw new PipelineError('SEAL_BROKEN', 'read the books of the sandbox', 'a line that was complete is damaged');
  }
}

async function isEmpty(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found === undefined || found.size === 0;
}
