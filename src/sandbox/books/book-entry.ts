import type { BatchOperationName } from '../../../schemas/operations.ts';
import type { JudgedRow } from '../batch/process-batch.ts';
import type { Customer, PaymentKind } from '../customers/customer.ts';
import type { BookRow } from './book-row.ts';
import type { Payer } from './payer.ts';

/**
 * A line of the file. One line holds a whole batch, or a charge and the record it created, so a crash leaves all or
 * nothing.
 */
export type BookLine = BatchLine | TransactionLine | CustomerLine | DeletionLine;

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
  /** Who paid, row by row, sealed; absent in books of earlier versions. */
  readonly payers?: string;
};

export type TransactionLine = Transaction & {
  readonly kind: 'transaction';
  readonly customer?: StoredCustomer;
  /** Who paid, sealed. A refund uses the payer of its charge. */
  readonly payer?: string;
};
type CustomerLine = { readonly kind: 'customer'; readonly customer: StoredCustomer };
type DeletionLine = { readonly kind: 'deletion'; readonly key: string };

/** A single charge or refund, approved or not. */
export type Transaction = {
  readonly row: BookRow;
  readonly method: PaymentKind;
  /** Identifies a test card when its charge is refunded; reveals nothing about the number without the secret. */
  readonly cardKey?: string;
  /** Id of the charge that this refund belongs to. */
  readonly refundOf?: string;
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
};
