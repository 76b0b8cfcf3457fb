import type { ParameterFault } from '../client-answers.ts';

/** Outcome of a report query. It only reads, so every call may be repeated. */
export type ReportAnswer =
  | { kind: 'read'; report: JournalReport }
  /** The service named an error, or no reliable report came after the retries. It proves nothing. */
  | { kind: 'failed'; errors: string }
  /** Not offered on this server. Nothing was sent. */
  | { kind: 'restricted'; message: string }
  /** The parameters break rules. Nothing was sent. */
  | { kind: 'invalid'; faults: readonly ParameterFault[] }
  /** No byte of the request left this host. */
  | { kind: 'not_sent'; why: string };

export type JournalReport = {
  /** In the service's order. Empty for a bank reconciliation, because its columns are unknown. */
  readonly entries: readonly JournalLine[];
  /**
   * Only for a CSV report: the service's text with whole numbers masked, empty when there is none. Names in it may
   * begin like a formula; guard them before users open it.
   */
  readonly csv?: string;
};

/** One payment as the reports show it; missing values are empty text. */
export type JournalLine = {
  readonly transactionId: string;
  readonly invoice: string;
  readonly at: JournalTime;
  /** Empty for a payment without one, which the service calls `Quick Client`. */
  readonly customerCode: string;
  /** As given: `VISA`, `CHECKING`, `ACHEFT`, ... */
  readonly paymentMethod: string;
  /** Integer cents, negative for a refund; null when the amount is not a decimal number. */
  readonly amountCents: number | null;
  /** As given: `OK:678594:`, `OK:BankAccept`, `REJ:15`, ... */
  readonly result: string;
  readonly outcome: JournalOutcome;
  /** The digits at the end of the masked card or account number; reports of a range show none. */
  readonly lastFour: string;
  readonly comment: string;
};

/**
 * `accepted` is a bank payment that the bank has not answered yet. `unknown` means that the result is unlisted,
 * contradicts its list, or is a time-out.
 */
export type JournalOutcome = 'approved' | 'accepted' | 'rejected' | 'returned' | 'unknown';

export type JournalTime = {
  /** As given; without an offset it is in the server's time zone. */
  readonly text: string;
  /** The same moment, ISO 8601 in UTC. Null when the text is no time, or one that clocks show twice or never. */
  readonly utc: string | null;
};
