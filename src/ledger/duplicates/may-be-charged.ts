import { OUTCOMES, type Outcome } from '../../../schemas/lifecycle.ts';

/** Outcomes after which a row may be sent again, as a value for the conditions here. */
export const CERTAINLY_NOT_CHARGED: readonly string[] = (Object.keys(OUTCOMES) as Outcome[]).filter(
  (name) => OUTCOMES[name].certainlyNotCharged,
);

/**
 * Returns SQL for whether anything of `file` was charged or may yet be. That is a batch in progress or unsent, or a row
 * whose outcome or later outcome is not a certain no. A rejected or cancelled file has no such batch.
 * @param certain parameter that holds CERTAINLY_NOT_CHARGED
 */
export function mayBeCharged(certain: string): string {
  return `(EXISTS (SELECT 1 FROM batch b WHERE b.file_id = file.file_id AND b.state NOT IN ('cancelled', 'reconciled'))
    OR EXISTS (SELECT 1 FROM batch_outcome o WHERE o.file_no = file.file_no AND o.outcome <> ALL (${certain}))
    OR EXISTS (SELECT 1 FROM row_change c WHERE c.file_no = file.file_no AND c.outcome <> ALL (${certain})))`;
}
