import { PipelineError } from '../../kernel/errors.ts';
import type { BatchOperationName } from '../../../schemas/operations.ts';
import type { ReportRow } from '../../../schemas/reports.ts';
import type { Customer, PaymentKind } from '../customers/customer.ts';
import type { HistoryPlan } from '../history/plan-history.ts';
import type { BookSecret } from './book-secret.ts';
import type { CustomerBook } from './customer-book.ts';
import { sealPayers, transactionOwner } from './payment-book.ts';
import type { BankFate, BankStep } from '../time/bank-state.ts';

/** A batch row, or a single charge or refund, as the sandbox booked it: the truth that tests compare with. */
export type BookRow = {
  /** When it was taken, ISO 8601 in UTC, by the sandbox's clock. */
  readonly at: string;
  /** Agent code. */
  readonly account: string;
  /** In the spec's spelling; `recurring` for a payment that a customer record made by itself. */
  readonly operation: string;
  /** Empty for a single charge or refund. */
  readonly batchId: string;
  /** Position in the batch, from 1, without blank lines. 1 for a single charge or refund. */
  readonly position: number;
  readonly invoice: string;
  readonly customerCode: string;
  /** Integer cents as given in the row; 0 when unreadable. */
  readonly amountCents: number;
  /** Last four digits of the card or account number, the last two of a short one, or empty. */
  readonly lastFour: string;
  readonly outcome: 'approved' | 'accepted_pending' | 'declined' | 'duplicate' | 'format_error';
  /** Message of the result file or the answer. */
  readonly message: string;
  /** Whether money moves for this row. */
  readonly charged: boolean;
  /** Set for a single charge or refund with an id. */
  readonly transactionId?: string;
};

/** Outcome of one row of a batch. It holds no whole number, so it can be kept and shown. */
export type JudgedRow = Omit<BookRow, 'at' | 'account' | 'operation' | 'batchId' | 'position'>;

/**
 * A line of the file. One line holds a whole batch, or a charge and the record it created, so a crash leaves all or
 * nothing.
 */
export type BookLine =
  | BatchLine
  | TransactionLine
  | CustomerLine
  | DeletionLine
  | StepLine
  | HistoryLine
  | FirstIdsLine;

export type BatchLine = {
  readonly kind: 'batch';
  readonly batchId: string;
  /** ISO 8601 in UTC, like `readyAt`. */
  readonly at: string;
  readonly readyAt: string;
  readonly account: string;
  readonly operation: BatchOperationName;
  readonly rows: readonly JudgedRow[];
  readonly keys: readonly string[];
  /** The result file, sealed. */
  readonly result: string;
  /** Who paid, row by row, sealed; null for a row that no report shows. */
  readonly payers: string;
};

export type TransactionLine = Transaction & {
  readonly kind: 'transaction';
  readonly customer?: StoredCustomer;
  /** Who paid, sealed. A refund uses the payer of its charge. */
  readonly payer?: string;
};
type CustomerLine = { readonly kind: 'customer'; readonly customer: StoredCustomer };
type DeletionLine = { readonly kind: 'deletion'; readonly key: string };
/** Something done to a bank payment by hand. */
type StepLine = BankStep & { readonly kind: 'step'; readonly transactionId: string };
/** Stands for all payments and records that its plan makes. */
type HistoryLine = HistoryPlan & { readonly kind: 'history' };

/** The first line of books whose ids begin at a number of the time. */
type FirstIdsLine = { readonly kind: 'ids'; readonly first: FirstIds };

/** Where the ids of empty books begin. */
export type FirstIds = {
  readonly batch: number;
  readonly row: number;
  readonly single: number;
  readonly customer: number;
};

/** The same in every run, so that tests can name them. */
export const USUAL_IDS: FirstIds = { batch: 1_000_001, row: 1, single: 0x600_0001, customer: 10_000_001 };

/**
 * Returns ids that books lost at an earlier moment had not reached: the service never gives an id twice, and a client may
 * remember it. Batches begin at the milliseconds since 2020, transactions at a thousand times that. Codes of customers have
 * eight digits, so they begin anew after 926 days.
 * @param wanted the id of the first batch, or `time`; transactions and customers begin as usual then
 */
export function firstIdsOf(wanted: number | 'time' | undefined, now: Date): FirstIds {
  if (wanted !== 'time') return { ...USUAL_IDS, batch: wanted ?? USUAL_IDS.batch };
  const ms = now.getTime() - Date.UTC(2020, 0, 1);
  const customer = USUAL_IDS.customer + (Math.floor(ms / 1000) % 80_000_000);
  return { batch: ms, row: ms * 1000, single: ms * 1000 + 2 ** 50, customer };
}

/** A single charge or refund, approved or not. */
export type Transaction = {
  readonly row: BookRow;
  readonly method: PaymentKind;
  /** Identifies a test card or account when its charge is refunded; reveals nothing about the number without the secret. */
  readonly cardKey?: string;
  /** Id of the charge that this refund belongs to. */
  readonly refundOf?: string;
  /** Set for a bank payment of the history, whose amount decides nothing. */
  readonly fate?: BankFate;
  /** Set for a recurring payment. The line names its run, so no kill can cause a second booking. */
  readonly run?: { readonly customerKey: string; readonly dueAt: string };
};

/** A customer record as stored in the file; the record itself is sealed. */
export type StoredCustomer = {
  /** Derived from account and code. */
  readonly key: string;
  readonly account: string;
  readonly payment: PaymentKind;
  readonly lastFour: string;
  /** Number in a generated code, so that it is not generated again; 0 for any other code. */
  readonly serial: number;
  /** Set for a recurring record only: when it was created or last changed, ISO 8601 in UTC. */
  readonly scheduledFrom?: string;
  /** The `Customer` as JSON, sealed. */
  readonly sealed: string;
};

/** What a decision adds to the books. */
export type NewEntry = {
  readonly transaction?: Transaction;
  /** Who paid; accompanies a transaction. */
  readonly payer?: Payer;
  /** A record to create or replace. `changedAt` is ISO 8601 in UTC; the creation time when omitted. */
  readonly customer?: { readonly account: string; readonly record: Customer; readonly changedAt?: string };
  readonly deletion?: { readonly account: string; readonly code: string };
  readonly step?: BankStep & { readonly transactionId: string };
};

/** One line of the service's reports. Holds no whole number. */
export type JournalEntry = {
  /** When it entered this list with this result, ISO 8601 in UTC. */
  readonly at: string;
  readonly account: string;
  readonly method: PaymentKind;
  readonly list: ReportRow['list'];
  /** Empty when none was issued. */
  readonly transactionId: string;
  readonly invoice: string;
  readonly customerCode: string;
  readonly firstName: string;
  readonly lastName: string;
  /** MOP of a card, account type of a bank account; may be empty. */
  readonly payment: string;
  /** Masked as the service shows it. */
  readonly shownNumber: string;
  /** MM/YY; empty for a bank account. */
  readonly expiry: string;
  readonly amountCents: number;
  /** As in the reports: `OK:678594:`, `OK:555555:`, `OK:BankAccept`, `OK:Reject`, `REJ:40`. */
  readonly result: string;
  readonly comment: string;
};

/** Who paid and with what, as the service's reports show it. */
export type Payer = Pick<JournalEntry, 'firstName' | 'lastName' | 'payment' | 'shownNumber' | 'expiry' | 'comment'>;

/** @returns the line of an entry, or none if it is empty */
export function linesOf(
  { transaction, payer, customer, deletion, step }: NewEntry,
  customers: CustomerBook,
  secret: BookSecret,
) {
  const stored =
    customer && customers.seal(customer.account, customer.record, customer.changedAt ?? customer.record.createdAt);
  const lines: BookLine[] = [];
  if (transaction) {
    const sealed = payer && sealPayers(secret, [payer], transactionOwner(transaction.row));
    const beside = { ...(stored ? { customer: stored } : {}), ...(sealed === undefined ? {} : { payer: sealed }) };
    lines.push({ kind: 'transaction', ...transaction, ...beside });
  } else if (stored) lines.push({ kind: 'customer', customer: stored });
  else if (deletion) lines.push({ kind: 'deletion', key: customers.keyOf(deletion.account, deletion.code) });
  else if (step) lines.push({ kind: 'step', ...step });
  return lines;
}

/** Returns the rows of a batch with what they share. */
export function bookRowsOf({ at, account, operation, batchId, rows }: BatchLine): BookRow[] {
  return rows.map((row, index) => ({ at, account, operation, batchId, position: index + 1, ...row }));
}

/** @throws SEAL_BROKEN */
export function readLine(line: string): BookLine {
  try {
    return JSON.parse(line) as BookLine;
  } catch {
    // The parser's own message would quote the line.
    throw new PipelineError('SEAL_BROKEN', 'read the books of the sandbox', 'a complete line is damaged');
  }
}
