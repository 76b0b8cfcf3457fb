import { type Outcome, OUTCOMES } from '../../../schemas/lifecycle.ts';
import { rejectionOf } from '../../../schemas/rejections.ts';
import { COLUMNS } from '../../../schemas/columns.ts';
import { columnsOf, type LayoutName } from '../../../schemas/layouts.ts';

/** What is known of a row when its file is done. */
export type FinishedRow = {
  line: number;
  outcome: Outcome;
  code: number | null;
  message: string;
  authorization: string;
  batchId: string;
  /** Already in the account's time zone, or empty. */
  sentAt: string;
  resultAt: string;
  attempt: number | null;
};

/** Returns the cells of one line of the result file: line, masked input, outcome. */
export function resultCells(row: FinishedRow, maskedInput: readonly string[]): string[] {
  return [
    String(row.line),
    ...maskedInput,
    OUTCOMES[row.outcome].label,
    row.code === null ? '' : String(row.code),
    row.message,
    row.authorization,
    row.batchId,
    row.sentAt,
    row.resultAt,
    row.attempt === null ? '' : String(row.attempt),
  ];
}

/** Returns the correction file that a row goes into, if any, and the text of its Reason column. */
export function correctionOf(row: FinishedRow): { kind: 'rejects' | 'retry'; reason: string } | undefined {
  if (!OUTCOMES[row.outcome].certainlyNotCharged) return undefined;
  if (row.outcome === 'not_charged') return { kind: 'retry', reason: `${row.message}; ${AFTER_A_QUESTION}` };
  if (row.outcome !== 'declined' || row.code === null) return { kind: 'rejects', reason: row.message };
  const { advice, message } = rejectionOf(row.code);
  switch (advice) {
    case 'later':
      return { kind: 'retry', reason: `${message} (code ${row.code}); may be sent again later as it is` };
    case 'fix':
    case 'cardholder':
    case 'merchant':
      return { kind: 'rejects', reason: `${message} (code ${row.code})` };
    case 'never':
    case 'unknown':
      return undefined;
  }
}

/** The service may have booked the row since the reports were made. If dropped by hand, it is held. */
const AFTER_A_QUESTION = 'may be sent again as it is, by "paydrop resubmit", which asks the service once more';

/** What a row was before its change, and when and how the change was found. */
type BeforeChange = {
  outcome: string;
  code: number | null;
  message: string;
  changedAt: string;
  evidence: string;
};

/**
 * Returns the cells of one line of a correction. Those of the result file come first, with current values in the same
 * places, so a reader of results can read corrections. The old values follow.
 */
export function changeCells(row: FinishedRow, maskedInput: readonly string[], before: BeforeChange): string[] {
  return [
    ...resultCells(row, maskedInput),
    OUTCOMES[before.outcome as Outcome].label,
    before.code === null ? '' : String(before.code),
    before.message,
    before.changedAt,
    before.evidence,
  ];
}

/** Returns the column titles of a layout, in the spec's words. */
export function titlesOf(layout: LayoutName): string[] {
  return columnsOf(layout).map((column) => COLUMNS[column].title);
}

/** Columns that the result file adds after the input's. */
export const RESULT_TITLES = [
  'Outcome',
  'Code',
  'Message',
  'Authorization',
  'Batch Id',
  'Sent At',
  'Result At',
  'Attempt',
] as const;

/** Columns that a correction adds after the result file's. */
export const CHANGE_TITLES = ['Old Outcome', 'Old Code', 'Old Message', 'Changed At', 'Evidence'] as const;

export { REASON_TITLE } from '../../../schemas/layouts.ts';
