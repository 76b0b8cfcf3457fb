import { OUTCOMES, type Outcome } from '../../../schemas/lifecycle.ts';
import { type FinishedRow, resultCells } from './result-row.ts';

/** What a row was before it changed, when that was found out, and where from. */
export type BeforeChange = {
  outcome: string;
  code: number | null;
  message: string;
  changedAt: string;
  evidence: string;
};

/**
 * Cells of one line of a correction: those of the result file, as they are now and in the same places, so that whatever
 * reads results reads corrections; then what they were before.
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
