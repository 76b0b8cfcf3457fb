import type { FolderConfig } from '../../schemas/config.ts';
import type { ColumnName } from '../../schemas/layouts.ts';
import type { FaultCode } from '../../schemas/errors.ts';
import type { Outcome, SentOutcome } from '../../schemas/lifecycle.ts';

/** The forms of one payment: RawRow -> PaymentRow -> RowResult -> ReconciledRow. Signatures show the stage. */

/** A record of a payment file as written. `line` is the physical line, counted from 1, header included. */
export type RawRow = { readonly line: number; readonly cells: readonly string[] };

/** A fault or note about a row or a file. `value` is masked: no fault ever holds a whole number. */
export type Fault = {
  readonly code: FaultCode;
  /** Physical line, counted from 1; 0 when the fault is about the file as a whole. */
  readonly line: number;
  readonly column?: ColumnName;
  /** Details beyond the table's sentence: "13 columns, expected 12". Never a whole number. */
  readonly detail?: string;
  readonly value?: string;
};

/** What the settings of a folder and its profile make of some faults. */
export type EffectRules = Pick<FolderConfig, 'duplicateRows' | 'sameTotals' | 'chargedBefore'> & {
  /** Of the import profile: a cell that it cannot read. */
  readonly misfits?: 'hold' | 'refuse' | undefined;
};

/** A row that passed every check. It holds the card or account number, so it stays in memory and is never logged. */
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

/** Most rows of a batch, or a number that follows the file. */
export type MostRows = number | 'auto';

/** The least that a batch takes where its size follows the file. */
const LEAST_ROWS = 500;

/**
 * Returns the most rows of the next batch. What may be in doubt at once stays small beside the file, and a large file
 * needs few calls.
 * @param rowsBefore rows of the file that are in batches already
 */
export function mostRowsNext(most: MostRows, rowsBefore: number): number {
  return most === 'auto' ? Math.min(5_000, Math.max(LEAST_ROWS, Math.floor(rowsBefore / 100))) : most;
}

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
  /** The line has no end: it is the last one of a file that may be truncated within its message. */
  readonly endsOpen?: true;
};

/** A sent row with the outcome from its result. */
export type ReconciledRow = {
  readonly line: number;
  readonly outcome: SentOutcome;
  /** Rejection code, if the message has one. */
  readonly code: number | null;
  /** The service's own text. */
  readonly message: string;
  readonly authorization: string;
};

/** What the sender's control file says about a file, or why it cannot be read. Money is integer cents. */
export type ControlNote =
  | { readonly rows?: number; readonly totalCents?: number; readonly sha256?: string }
  | { readonly fault: 'CONTROL_FILE'; readonly reason: string };

/** Rows that were not sent because of their faults. `cents` excludes those whose amount is unreadable. */
export type Withheld = { readonly rows: number; readonly cents: number; readonly unreadable: number };

/** Rows and money; money is integer cents. */
export type Totals = { readonly rows: number; readonly cents: number };

/** Rows and money per outcome. */
export type OutcomeTotals = Partial<Record<Outcome, Totals>>;

/**
 * What a transaction report of the service says about a sent row: found with its outcome, absent, or not
 * distinguishable from another payment.
 */
export type RowFinding = {
  readonly line: number;
  readonly finding: 'found' | 'absent' | 'ambiguous';
  /** Found rows only. */
  readonly outcome: SentOutcome | null;
  readonly code: number | null;
  /** For a found row the service's text, for an ambiguous one the reason. */
  readonly message: string;
  readonly authorization: string;
  /** From the row's line in the report; empty when there is none. */
  readonly transactionId: string;
};
