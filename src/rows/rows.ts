import type { ColumnName } from '../../schemas/columns.ts';
import type { FaultCode } from '../../schemas/errors.ts';
import type { Outcome, SentOutcome } from '../../schemas/lifecycle.ts';

/**
 * The shapes that one payment takes on its way: RawRow -> PaymentRow -> RowResult -> ReconciledRow. A signature tells
 * at which station its code works.
 */

/** A record of a payment file as it stands there. `line` is the physical line, counted from 1, header included. */
export type RawRow = { readonly line: number; readonly cells: readonly string[] };

/** Something wrong, or worth saying, about a row or a file. `value` is masked: no fault ever holds a whole number. */
export type Fault = {
  readonly code: FaultCode;
  /** Physical line, counted from 1; 0 when the fault is about the file as a whole. */
  readonly line: number;
  readonly column?: ColumnName;
  /** The particulars, when they say more than the table's sentence: "13 columns, expected 12". Never a whole number. */
  readonly detail?: string;
  readonly value?: string;
};

/** A row that passed every check. Holds the card or account number, so it lives in memory only and is never logged. */
export type PaymentRow = {
  readonly line: number;
  readonly invoice: string;
  /** Empty for layouts without customer codes. */
  readonly customerCode: string;
  /** Integer cents, negative for refunds. */
  readonly amountCents: number;
  /** Card or account number, digits only; empty for layouts with customer codes. */
  readonly number: string;
  /** The cells in canonical form, in layout order: exactly what is sent. No cell holds a comma, quote or line end. */
  readonly canonical: readonly string[];
};

/** What the ledger keeps of a sent row, and what a result is matched against. */
export type SentRow = {
  readonly line: number;
  readonly invoice: string;
  readonly customerCode: string;
  readonly amountCents: number;
  readonly lastFour: string;
};

/** One line of a result file of the service: the submitted cells, the number masked, and the message. */
export type RowResult = {
  /** Position in the result file, counted from 1. */
  readonly position: number;
  readonly cells: readonly string[];
  readonly message: string;
  /** Its line has no end: the last one of a file that may have been cut in the middle of its message. */
  readonly endsOpen?: true;
};

/** A sent row with the outcome that its result says. */
export type ReconciledRow = {
  readonly line: number;
  readonly outcome: SentOutcome;
  /** Rejection code, where the message has one. */
  readonly code: number | null;
  /** The service's own text. */
  readonly message: string;
  readonly authorization: string;
};

/** What the sender said of a file in its control file, or why that cannot be read. Money is integer cents. */
export type ControlNote =
  | { readonly rows?: number; readonly totalCents?: number; readonly sha256?: string }
  | { readonly fault: 'CONTROL_FILE'; readonly reason: string };

/** Rows and money; money is integer cents. */
/** Rows that were not sent because of their faults. `cents` is without those whose amount cannot be read. */
export type Withheld = { readonly rows: number; readonly cents: number; readonly unreadable: number };

export type Totals = { readonly rows: number; readonly cents: number };

/** Rows and money per outcome. */
export type OutcomeTotals = Partial<Record<Outcome, Totals>>;

/**
 * What a transaction report of the service says of a sent row: shown with its outcome, lacking, or shown in a way that
 * cannot be told from another payment.
 */
export type RowFinding = {
  readonly line: number;
  readonly finding: 'found' | 'absent' | 'ambiguous';
  /** Of a found row only. */
  readonly outcome: SentOutcome | null;
  readonly code: number | null;
  /** Of a found row the service's own text, of an ambiguous one why. */
  readonly message: string;
  readonly authorization: string;
  /** Of the line of the report that the row is; empty when there is none. */
  readonly transactionId: string;
};
