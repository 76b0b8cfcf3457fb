import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PipelineError } from '../../kernel/errors.ts';
import type { JudgedBatch } from '../batch/process-batch.ts';
import type { Customer, PaymentKind } from '../customers/customer.ts';
import {
  type BatchLine,
  type BookLine,
  type BookRow,
  bookRowsOf,
  type FirstIds,
  linesOf,
  type NewEntry,
  readLine,
  type StoredCustomer,
  type TransactionLine,
  USUAL_IDS,
} from './book-row.ts';
import { BOOK_FILE, type BookFile, isEmpty, lockFolder, noBookFile, openBookFile, readStart } from './book-folder.ts';
import { type BookSecret, newBookSecret, openBookSecret } from './book-secret.ts';
import { type CustomerBook, keepCustomers } from './customer-book.ts';
import {
  batchOwner,
  keepPayments,
  keepTransactions,
  type PaymentBook,
  sealPayers,
  type TransactionBook,
} from './payment-book.ts';
import { keepSchedules, type ScheduleBook } from './schedule-book.ts';
import { makeHistory } from '../history/make-history.ts';
import { type HistoryPlan, type HistoryWish, type OnProgress, resultOf } from '../history/plan-history.ts';

/** Every payment of the sandbox, and its customer records. */
export type Books = {
  /**
   * Judges a batch and books it. When the promise resolves, the whole batch is on disk; when it rejects, nothing is
   * booked. Batches are booked one at a time, so two batches with the same row cannot both be charged for it.
   * @returns the id of the batch
   */
  takeBatch(batch: NewBatch): Promise<string>;
  /**
   * Makes a decision with the books at hand and books its outcome, if any, with the same guarantee as a batch. Nothing
   * else is booked in between, so two simultaneous refunds cannot both use up the same charge. A crash may leave only
   * the first of several entries, each of them whole.
   * @returns the answer of the decision
   */
  decide<Result>(decision: () => Decision<Result>): Promise<Result>;
  readonly transactions: Omit<TransactionBook, 'keep' | 'keepHistory'>;
  readonly customers: Pick<CustomerBook, 'find' | 'list' | 'nextCode' | 'page' | 'size'>;
  readonly payments: Pick<PaymentBook, 'list' | 'courseOf'>;
  /** Lists the rows of all accounts with the ids of reports. */
  shownRows: PaymentBook['rows'];
  readonly schedules: Pick<ScheduleBook, 'hasDue' | 'listDue'>;
  /** Makes a key that does not reveal its parts. */
  readonly keyOf: BookSecret['keyOf'];
  findBatch(account: string, batchId: string): TakenBatch | undefined;
  /**
   * Fills empty books with a history, or leaves those that begin with one. It is one line of the file; its payments are
   * made anew whenever the books are opened.
   * @throws CONFIG_INVALID when the books have something else
   */
  beginWith(history: HistoryWish): Promise<void>;
  /** Returns all rows so far, or those booked after a batch. */
  rows(sinceBatchId?: number): readonly BookRow[];
  close(): Promise<void>;
};

/** What a decision books, and its answer. */
export type Decision<Result> = {
  readonly entries?: readonly NewEntry[];
  readonly answer: Result;
};

export type NewBatch = Pick<BatchLine, 'at' | 'readyAt' | 'account' | 'operation'> & {
  readonly judge: (
    isTaken: (key: string) => boolean,
    keyOf: BookSecret['keyOf'],
    paymentOf: (customerCode: string) => PaymentKind | undefined,
    recordOf: (customerCode: string) => Customer | undefined,
  ) => JudgedBatch;
};

type TakenBatch = { readonly readyAt: Date; openResult(): Buffer };

/**
 * Opens the books: `books.jsonl` and `secret` in the folder, which is created if missing.
 * @param folder when undefined, the books live as long as the process
 * @param first where ids begin while the books are empty
 * @param onProgress called while a history is made
 * @throws CONFIG_INVALID when another sandbox has them open, and whatever `openBookSecret` throws
 */
export async function openBooks(
  folder: string | undefined,
  first = USUAL_IDS,
  onProgress?: OnProgress,
): Promise<Books> {
  const start = { first, onProgress };
  if (folder === undefined) return keepBooks(newBookSecret(), start, () => Promise.resolve(noBookFile));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const unlock = await lockFolder(folder);
  const books = await openFolder(folder, start).catch(async (error: unknown) => {
    await unlock();
    throw error;
  });
  const close = async () => {
    try {
      await books.close();
    } finally {
      await unlock();
    }
  };
  return { ...books, close };
}

async function openFolder(folder: string, start: BooksStart): Promise<Books> {
  const path = join(folder, BOOK_FILE);
  const isNew = await isEmpty(path);
  const secret = await openBookSecret(join(folder, 'secret'), isNew);
  const { first } = start;
  const begun = isNew ? undefined : readLine((await readStart(path)) ?? '{}');
  const ids = isNew ? first : begun?.kind === 'ids' ? begun.first : { ...first, row: USUAL_IDS.row };
  return keepBooks(secret, { ...start, first: ids }, async (onLine) => {
    const file = await openBookFile(path, onLine);
    // Rows of batches are numbered from the first, so an unusual first id must be found again.
    const line: BookLine = { kind: 'ids', first };
    if (isNew && first.row !== USUAL_IDS.row) await file.append(JSON.stringify(line));
    return file;
  });
}

type BooksStart = { readonly first: FirstIds; readonly onProgress: OnProgress | undefined };

async function keepBooks(
  secret: BookSecret,
  { first, onProgress }: BooksStart,
  openFile: (onLine: (line: string) => void) => Promise<BookFile>,
): Promise<Books> {
  const batches = new Map<string, BatchLine>();
  const keys = new Set<string>();
  const transactions = keepTransactions(first.single);
  const customers = keepCustomers(secret, first.customer);
  const payments = keepPayments(secret, customers.find, first.row);
  const schedules = keepSchedules(customers.open);
  /** In file order, each with its own batch or the batch before it. */
  const pages: { readonly batchId: number; readonly isBatch: boolean; readonly rows: BookRow[] }[] = [];
  let lastBatchId = first.batch - 1;
  /** What the first line after the ids is; undefined in empty books. */
  let beginning: BookLine['kind'] | undefined;
  let last: Promise<unknown> = Promise.resolve();

  function remember(line: BookLine): void {
    if (line.kind !== 'ids') beginning ??= line.kind;
    switch (line.kind) {
      case 'batch':
        rememberBatch(line);
        return;
      case 'transaction':
        rememberTransaction(line);
        return;
      case 'customer':
        rememberCustomer(line.customer);
        return;
      case 'deletion':
        customers.forget(line.key);
        schedules.forget(line.key);
        return;
      case 'step':
        payments.keepStep(line.transactionId, line);
        return;
      case 'history':
        rememberHistory(line);
        return;
      case 'ids':
    }
  }

  function rememberHistory(plan: HistoryPlan): void {
    const made = makeHistory(plan, secret.keyOf, onProgress);
    for (const { account, record } of made.customers) {
      rememberCustomer(customers.seal(account, record, record.createdAt));
    }
    payments.keepHistory(made.payments);
    transactions.keepHistory(made.payments);
    for (const payment of made.payments) {
      if (payment.run) schedules.noteRun(payment.run.customerKey, Date.parse(payment.run.dueAt));
      const { row } = payment;
      const isBatch = row.batchId !== '';
      if (isBatch) lastBatchId = Number(row.batchId);
      const last = pages.at(-1);
      if (last?.batchId === lastBatchId && last.isBatch === isBatch) last.rows.push(row);
      else pages.push({ batchId: lastBatchId, isBatch, rows: [row] });
    }
  }

  function rememberBatch(line: BatchLine): void {
    const rows = bookRowsOf(line);
    batches.set(line.batchId, line);
    for (const key of line.keys) keys.add(key);
    lastBatchId = Number(line.batchId);
    payments.keepBatch(line, rows);
    pages.push({ batchId: lastBatchId, isBatch: true, rows });
  }

  function rememberTransaction(line: TransactionLine): void {
    transactions.keep(line);
    payments.keepTransaction(line);
    if (line.customer) rememberCustomer(line.customer);
    if (line.run) schedules.noteRun(line.run.customerKey, Date.parse(line.run.dueAt));
    pages.push({ batchId: lastBatchId, isBatch: false, rows: [line.row] });
  }

  function rememberCustomer(customer: StoredCustomer): void {
    customers.keep(customer);
    schedules.keep(customer);
  }

  const file = await openFile((line) => remember(readLine(line)));

  /** Runs the steps one at a time, even if earlier ones fail. */
  function queue<Result>(step: () => Promise<Result>): Promise<Result> {
    const done = last.then(step);
    last = done.catch(() => undefined);
    return done;
  }

  async function write(lines: readonly BookLine[]): Promise<void> {
    if (lines.length === 0) return;
    await file.append(lines.map((line) => JSON.stringify(line)).join('\n'));
    for (const line of lines) remember(line);
  }

  async function book({ judge, ...batch }: NewBatch): Promise<string> {
    const batchId = String(lastBatchId + 1);
    const judged = judge(
      (key) => keys.has(key),
      secret.keyOf,
      (customerCode) => customers.paymentOf(batch.account, customerCode),
      (customerCode) => customers.find(batch.account, customerCode),
    );
    const result = secret.seal(judged.result, ownerOf(batchId));
    const payers = sealPayers(secret, judged.payers, batchOwner(batchId));
    await write([{ kind: 'batch', batchId, ...batch, rows: judged.rows, keys: judged.keys, result, payers }]);
    return batchId;
  }

  return {
    takeBatch: (batch) => queue(() => book(batch)),
    decide: (decision) =>
      queue(async () => {
        const { entries = [], answer } = decision();
        await write(entries.flatMap((added) => linesOf(added, customers, secret)));
        return answer;
      }),
    beginWith: (history) =>
      queue(async () => {
        if (beginning === 'history') return;
        if (beginning !== undefined) {
          throw new PipelineError('CONFIG_INVALID', 'fill the books of the sandbox', 'they hold other payments', {
            next: 'Start it with an empty folder, or without a history.',
          });
        }
        const { single: firstSingle, customer: firstCustomer, row: firstRow, batch: firstBatch } = first;
        await write([{ kind: 'history', ...history, firstSingle, firstCustomer, firstRow, firstBatch }]);
      }),
    transactions,
    customers,
    payments,
    shownRows: payments.rows,
    schedules,
    keyOf: secret.keyOf,
    findBatch: (account, batchId) => {
      const made = payments.historyBatch(batchId);
      if (made[0]?.row.account === account) {
        return { readyAt: new Date(made[0].row.at), openResult: () => resultOf(made) };
      }
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

function ownerOf(batchId: string): string {
  return `batch ${batchId}`;
}
