import type { FolderOperation, Server } from '../../../schemas/operations.ts';
import type { BookRow } from '../books/book-row.ts';
import type { Payer } from '../books/payer.ts';
import { judgeRow, type RowSetting, type Verdict } from './judge-row.ts';
import { type BatchRow, readRow } from './read-row.ts';
import type { BatchFile } from './read-batch-file.ts';
import { maskNumber } from './mask-number.ts';

/** Outcome of one row. It holds no whole number, so it can be kept and shown. */
export type JudgedRow = Omit<BookRow, 'at' | 'account' | 'operation' | 'batchId' | 'position'>;

export type JudgedBatch = {
  readonly rows: readonly JudgedRow[];
  /** The result file: each row as sent, with its number masked, then the message and CRLF. */
  readonly result: Buffer;
  /** Keys that identify the charged rows. */
  readonly keys: readonly string[];
  /** Who pays, row by row; null for a row that no report shows. */
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
  /** Whether an earlier batch left this key. */
  readonly isTaken: (key: string) => boolean;
  /** Makes a key that does not reveal its parts. */
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
 * Judges a row. A row that equals a charged row is a duplicate, even within one file. The key holds the kind of
 * operation: a refund does not duplicate its charge. Assumption without a source: only charged rows leave a key. A
 * declined row may be tried again, and `Duplicated` always means that money has moved before.
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

/** Returns whether reports show the row; they omit duplicates and rows that were not understood. */
function isReported(verdict: Verdict): boolean {
  return isCharged(verdict) || verdict.outcome === 'declined';
}

function isCharged({ outcome }: Verdict): boolean {
  return outcome === 'approved' || outcome === 'accepted_pending';
}

/** Returns who pays for a batch row, and with what. A row by customer code names no payer. */
export function payerOfRow({ cells, number }: BatchRow): Payer {
  return {
    ...nameOf(cells),
    payment: cells.mop ?? cells.accountType ?? '',
    shownNumber: maskNumber(number),
    expiry: (cells.expiry ?? '').replace(/^(\d\d)(\d\d)$/, '$1/$2'),
    comment: cells.comment ?? '',
  };
}

/** Takes the last word of a full name as the last name. */
function nameOf({ firstName, lastName, fullName }: BatchRow['cells']): Pick<Payer, 'firstName' | 'lastName'> {
  if (fullName === undefined) return { firstName: firstName ?? '', lastName: lastName ?? '' };
  const words = fullName.trim().split(/\s+/);
  return { firstName: words.slice(0, -1).join(' '), lastName: words.at(-1) ?? '' };
}
