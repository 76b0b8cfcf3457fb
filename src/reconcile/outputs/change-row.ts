import { OUTCOMES, type Outcome } from '../../../schemas/lifecycle.ts';
import { type FinishedRow, resultCells } from './result-row.ts';

/** What a row was before its change, and when and how the change was found. */
export type BeforeChange = {
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
