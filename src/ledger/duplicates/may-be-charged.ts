import { OUTCOMES, type Outcome } from '../../../schemas/lifecycle.ts';

/** Outcomes after which a row may be sent once more, as a value for the conditions here. */
export const CERTAINLY_NOT_CHARGED: readonly string[] = (Object.keys(OUTCOMES) as Outcome[]).filter(
  (name) => OUTCOMES[name].certainlyNotCharged,
);

/**
 * SQL: whether something of the `file` was charged, may have been, or may yet be: a batch that can still be sent or is
 * on its way, or a row whose outcome, or a later one, is not a certain no. A refused or cancelled file has no such batch.
 * @param certain the parameter that holds CERTAINLY_NOT_CHARGED
 */
export function mayBeCharged(certain: string): string {
  return `(EXISTS (SELECT 1 FROM batch b WHERE b.file_id = file.file_id AND b.state NOT IN ('cancelled', 'reconciled'))
    OR EXISTS (SELECT 1 FROM batch_outcome o WHERE o.file_no = file.file_no AND o.outcome <> ALL (${certain}))
    OR EXISTS (SELECT 1 FROM row_change c WHERE c.file_no = file.file_no AND c.outcome <> ALL (${certain})))`;
}
