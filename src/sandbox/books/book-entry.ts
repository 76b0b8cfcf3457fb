import type { BatchOperationName } from '../../../schemas/operations.ts';
import type { JudgedRow } from '../batch/process-batch.ts';
import type { Customer, PaymentKind } from '../customers/customer.ts';
import type { BookRow } from './book-row.ts';

/**
 * A line of the file. One line holds a whole batch, or a charge together with the record that it created, so a crash
 * leaves all of it or nothing.
 */
export type BookLine = BatchLine | TransactionLine | CustomerLine | DeletionLine;

export type BatchLine = {
  readonly kind: 'batch';
  readonly batchId: string;
  /** ISO 8601 in UTC, as is `readyAt`. */
  readonly at: string;
  readonly readyAt: string;
  readonly account: string;
  readonly operation: BatchOperationName;
  readonly rows: readonly JudgedRow[];
  readonly keys: readonly string[];
  /** The result file, sealed. */
  readonly result: string;
};

type TransactionLine = Transaction & { readonly kind: 'transaction'; readonly customer?: StoredCustomer };
type CustomerLine = { readonly kind: 'customer'; readonly customer: StoredCustomer };
type DeletionLine = { readonly kind: 'deletion'; readonly key: string };

/** A single charge or refund, approved or not. */
export type Transaction = {
  readonly row: BookRow;
  readonly method: PaymentKind;
  /** Tells the test cards apart when a charge is refunded; says nothing about the number without the secret. */
  readonly cardKey?: string;
  /** Id of the charge that this refund belongs to. */
  readonly refundOf?: string;
};

/** A customer record as it lies in the file: whose it is and who it is are not to be read there. */
export type StoredCustomer = {
  /** Made of account and code. */
  readonly key: string;
  readonly account: string;
  readonly payment: PaymentKind;
  readonly lastFour: string;
  /** The number in a generated code, so that it is never generated again; 0 for a code that the client chose. */
  readonly serial: number;
  /** The `Customer` as JSON, sealed. */
  readonly sealed: string;
};

/** What a decision adds to the books. */
export type NewEntry = {
  readonly transaction?: Transaction;
  /** A record that is created or replaced. */
  readonly customer?: { readonly account: string; readonly record: Customer };
  readonly deletion?: { readonly account: string; readonly code: string };
};
