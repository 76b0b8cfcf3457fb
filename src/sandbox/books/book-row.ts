/**
 * One row of a batch, or one single charge or refund, as the books of the sandbox have it: the truth that tests compare
 * everything else with.
 */
export type BookRow = {
  /** When it was taken, ISO 8601 in UTC, by the clock of the sandbox. */
  readonly at: string;
  /** Agent code. */
  readonly account: string;
  /** In the spec's spelling; `recurring` for a payment that a customer record made by itself. */
  readonly operation: string;
  /** Empty for a single charge or refund. */
  readonly batchId: string;
  /** Place in the batch, counted from 1; blank lines do not count. 1 for a single charge or refund. */
  readonly position: number;
  readonly invoice: string;
  readonly customerCode: string;
  /** Integer cents as they stood in the row; 0 when they could not be read. */
  readonly amountCents: number;
  /** Last four digits of the card or account number; the last two of a short one; empty where there is none. */
  readonly lastFour: string;
  readonly outcome: 'approved' | 'accepted_pending' | 'declined' | 'duplicate' | 'format_error';
  /** What the result file, or the answer, says to the row. */
  readonly message: string;
  /** Whether money moves for this row. */
  readonly charged: boolean;
  /** Of a single charge or refund that was given one. */
  readonly transactionId?: string;
};
