import type { BatchOperationName } from '../../../schemas/operations.ts';
import type { JudgedRow } from '../batch/process-batch.ts';
import type { Customer, PaymentKind } from '../customers/customer.ts';
import type { BookRow } from './book-row.ts';
import type { Payer } from './payer.ts';

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
  /** Who paid, row by row, sealed; books of earlier versions lack it. */
  readonly payers?: string;
};

export type TransactionLine = Transaction & {
  readonly kind: 'transaction';
  readonly customer?: StoredCustomer;
  /** Who paid, sealed. A refund has the payer of its charge. */
  readonly payer?: string;
};
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
  /** Of a recurring payment. The line itself says which run it was, so none is booked twice, whatever is killed when. */
  readonly run?: { readonly customerKey: string; readonly dueAt: string };
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
  /** Only of a record that pays again and again: when it was created or last changed, ISO 8601 in UTC. */
  readonly scheduledFrom?: string;
  /** The `Customer` as JSON, sealed. */
  readonly sealed: string;
};

/** What a decision adds to the books. */
export type NewEntry = {
  readonly transaction?: Transaction;
  /** Who paid, beside a transaction. */
  readonly payer?: Payer;
  /** A record that is created or replaced; `changedAt` is that of its creation when left out, ISO 8601 in UTC. */
  readonly customer?: { readonly account: string; readonly record: Customer; readonly changedAt?: string };
  readonly deletion?: { readonly account: string; readonly code: string };
};
