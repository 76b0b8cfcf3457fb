import type { ParameterFault } from '../client-answers.ts';

/** What asking for a report can end in. It only reads, so every call may be made again. */
export type ReportAnswer =
  | { kind: 'read'; report: JournalReport }
  /** The service named an error, or no report that can be relied on came after the repetitions. It proves nothing. */
  | { kind: 'failed'; errors: string }
  /** Not offered on this server. Nothing left. */
  | { kind: 'restricted'; message: string }
  /** The parameters break rules. Nothing left. */
  | { kind: 'invalid'; faults: readonly ParameterFault[] }
  /** No byte of the request left this host. */
  | { kind: 'not_sent'; why: string };

export type JournalReport = {
  /** In the order of the service. A bank reconciliation has none, because its columns are not known. */
  readonly entries: readonly JournalLine[];
  /**
   * Of a CSV report: its text as the service wrote it, empty when there is nothing, any whole number in it masked. Names in
   * it may begin like a formula; guard them before people open it.
   */
  readonly csv?: string;
};

/** One payment as the journals show it; empty text where they show nothing. */
export type JournalLine = {
  readonly transactionId: string;
  readonly invoice: string;
  readonly at: JournalTime;
  /** Empty for a payment without one, which the service calls `Quick Client`. */
  readonly customerCode: string;
  /** As given: `VISA`, `CHECKING`, `ACHEFT`, ... */
  readonly paymentMethod: string;
  /** Integer cents, negative for a refund; null when the amount is no decimal number. */
  readonly amountCents: number | null;
  /** As given: `OK:678594:`, `OK:BankAccept`, `REJ:15`, ... */
  readonly result: string;
  readonly outcome: JournalOutcome;
  /** The digits that the mask of the card or account number leaves at its end; reports of a range show none. */
  readonly lastFour: string;
  readonly comment: string;
};

/**
 * `accepted` a bank payment that was taken and of which the bank has not spoken; `unknown` when the result is not listed,
 * contradicts its list, or is a time-out.
 */
export type JournalOutcome = 'approved' | 'accepted' | 'rejected' | 'returned' | 'unknown';

/** A time of the service. */
export type JournalTime = {
  /** As given, in the zone of the server. */
  readonly text: string;
  /** The same moment, ISO 8601 in UTC; null when the text is no time, or one that clocks show twice or never. */
  readonly utc: string | null;
};
