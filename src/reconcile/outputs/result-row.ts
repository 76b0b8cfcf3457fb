import type { OutputForm } from '../../../schemas/config.ts';
import { type Outcome, OUTCOMES } from '../../../schemas/lifecycle.ts';
import { rejectionOf, saidRejection } from '../../../schemas/rejections.ts';
import { COLUMNS, columnsOf, type LayoutName, RESULT_TITLES, type ResultTitle } from '../../../schemas/layouts.ts';
import { formatCents } from '../../kernel/money.ts';

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
  /** Integer cents; null when the amount is unreadable. */
  cents: number | null;
  currency: string;
  account: string;
};

/** Cells of the columns that a result adds, with a decimal point. */
const CELL_OF: Readonly<Record<ResultTitle, (row: FinishedRow) => string>> = {
  Outcome: ({ outcome }) => OUTCOMES[outcome].label,
  Code: ({ code }) => numberCell(code),
  Message: ({ message }) => message,
  Authorization: ({ authorization }) => authorization,
  'Batch Id': ({ batchId }) => batchId,
  'Sent At': ({ sentAt }) => sentAt,
  'Result At': ({ resultAt }) => resultAt,
  Attempt: ({ attempt }) => numberCell(attempt),
  'Amount Charged': (row) => (isCharged(row) ? formatCents(row.cents!) : ''),
  Currency: ({ currency }) => currency,
  Account: ({ account }) => account,
  Meaning: meaningOf,
};

/** Returns whether the money of a row has certainly moved. What a bank has not paid yet does not count. */
function isCharged({ outcome, cents }: FinishedRow): boolean {
  return outcome === 'approved' && cents !== null;
}

/** Returns what happened to a row and what to do about it, in one sentence. */
function meaningOf({ outcome, code, cents }: FinishedRow): string {
  if (outcome === 'approved') return `${cents !== null && cents < 0 ? 'Refunded' : 'Charged'}; nothing to do`;
  return outcome === 'declined' && code !== null ? saidRejection(code) : OUTCOMES[outcome].says;
}

/** Returns the columns that a result of this form adds to the input's. Outcome comes first in all of them. */
export function resultTitles({ columns }: Pick<OutputForm, 'columns'>): ResultTitle[] {
  return RESULT_TITLES.filter((title) => title === 'Outcome' || columns.includes(title));
}

/** Returns the cells of one line of the result file: line, masked input, outcome. */
export function resultCells(row: FinishedRow, maskedInput: readonly string[], form: OutputForm): string[] {
  return [String(row.line), ...maskedInput, ...outcomeCells(row, form)];
}

/** Returns the cells under `resultTitles`. */
export function outcomeCells(row: FinishedRow, form: OutputForm): string[] {
  return resultTitles(form).map((title) => {
    const cell = CELL_OF[title](row);
    return title === 'Amount Charged' && form.decimal === 'comma' ? cell.replace('.', ',') : cell;
  });
}

function numberCell(number: number | null): string {
  return number === null ? '' : String(number);
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

/** Columns that a correction adds after the result file's, and their cells. */
const CHANGE_COLUMNS: readonly (readonly [title: string, cellOf: (before: BeforeChange) => string])[] = [
  ['Old Outcome', ({ outcome }) => OUTCOMES[outcome as Outcome].label],
  ['Old Code', ({ code }) => numberCell(code)],
  ['Old Message', ({ message }) => message],
  ['Changed At', ({ changedAt }) => changedAt],
  ['Evidence', ({ evidence }) => evidence],
];

export const CHANGE_TITLES = CHANGE_COLUMNS.map(([title]) => title);

/**
 * Returns the cells of one line of a correction. Those of the result file come first, with current values in the same
 * places, so a reader of results can read corrections. The old values follow.
 */
export function changeCells(
  row: FinishedRow,
  maskedInput: readonly string[],
  before: BeforeChange,
  form: OutputForm,
): string[] {
  return [...resultCells(row, maskedInput, form), ...CHANGE_COLUMNS.map(([, cellOf]) => cellOf(before))];
}

/** Returns the column titles of a layout, in the spec's words. */
export function titlesOf(layout: LayoutName): string[] {
  return columnsOf(layout).map((column) => COLUMNS[column].title);
}

export { REASON_TITLE } from '../../../schemas/layouts.ts';
