import type { FolderOperation, Server } from '../../../schemas/operations.ts';
import type { BookRow } from '../books/book-row.ts';
import type { Payer } from '../books/payer.ts';
import { judgeRow, type RowSetting, type Verdict } from './judge-row.ts';
import { payerOfRow } from './payer-of-row.ts';
import { readRow, type BatchRow } from './read-row.ts';
import type { BatchFile } from './read-batch-file.ts';

/** What happened to one row. Holds no whole number, so it can be kept and shown. */
export type JudgedRow = Omit<BookRow, 'at' | 'account' | 'operation' | 'batchId' | 'position'>;

export type JudgedBatch = {
  readonly rows: readonly JudgedRow[];
  /** The result file: each row as it was sent, its number masked, and the message, ended by CRLF. */
  readonly result: Buffer;
  /** Keys by which the rows that were charged are known again. */
  readonly keys: readonly string[];
  /** Who pays, row by row; null for a row that is in no report. */
  readonly payers: readonly (Payer | null)[];
};

export type BatchRules = {
  readonly kind: FolderOperation;
  readonly account: string;
  readonly server: Server | undefined;
  readonly ipAddress: string;
  readonly paymentOf?: NonNullable<RowSetting['paymentOf']>;
  readonly numberOf?: NonNullable<RowSetting['numberOf']>;
  readonly findsDuplicates: boolean;
  /** Whether a key was left by an earlier batch. */
  readonly isTaken: (key: string) => boolean;
  /** Makes a key of its parts that does not give them away. */
  readonly keyOf: (parts: readonly string[]) => string;
};

/** Judges every row of a batch in order; row n of the result answers row n of the file. */
export function processBatch(file: BatchFile, rules: BatchRules): JudgedBatch {
  const keys = new Set<string>();
  const judged = file.rows.map((cells) => {
    const row = readRow(rules.kind, cells);
    return { row, verdict: judgeOnce(row, rules, keys) };
  });
  const lines = judged.map(({ row, verdict }) => `${[...row.maskedCells, verdict.message].join(',')}\r\n`);
  return {
    rows: judged.map(({ row, verdict }) => describeRow(row, verdict)),
    result: Buffer.from(lines.join(''), file.charset),
    keys: [...keys],
    payers: judged.map(({ row, verdict }) => (isReported(verdict) ? payerOfRow(row) : null)),
  };
}

const DUPLICATED: Verdict = { outcome: 'duplicate', message: 'Duplicated' };

/**
 * A row that equals one that was charged is a duplicate, also within its own file. The key holds the kind of operation:
 * a refund of an invoice is no duplicate of its charge. Only charged rows leave a key (our assumption, no source tells):
 * a declined row may be tried again, and `Duplicated` always means that the money has moved before.
 */
function judgeOnce(row: BatchRow, rules: BatchRules, keys: Set<string>): Verdict {
  const verdict = judgeRow(row, rules);
  if (!isCharged(verdict)) return verdict;
  const key = rules.keyOf([
    rules.account,
    rules.kind,
    row.invoice,
    row.number === '' ? `code ${row.customerCode}` : `number ${row.number}`,
    String(row.amountCents),
  ]);
  if (rules.findsDuplicates && (keys.has(key) || rules.isTaken(key))) return DUPLICATED;
  keys.add(key);
  return verdict;
}

function describeRow(row: BatchRow, verdict: Verdict): JudgedRow {
  return {
    invoice: row.shownInvoice,
    customerCode: row.shownCustomerCode,
    amountCents: row.amountCents ?? 0,
    lastFour: row.lastFour,
    outcome: verdict.outcome,
    message: verdict.message,
    charged: isCharged(verdict),
  };
}

/** A duplicate, or a row that was not understood, is in no report. */
function isReported(verdict: Verdict): boolean {
  return isCharged(verdict) || verdict.outcome === 'declined';
}

function isCharged({ outcome }: Verdict): boolean {
  return outcome === 'approved' || outcome === 'accepted_pending';
}
