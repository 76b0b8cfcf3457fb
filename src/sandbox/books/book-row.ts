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
