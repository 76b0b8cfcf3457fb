import { IS_OPEN } from '../batch/conditions.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { IS_LATE, IS_TROUBLED } from './overview.ts';

/** What the navigation counts. Each number is found by a partial index, whatever the size of the ledger. */
export type Badges = {
  /** What waits for this person: troubled and overdue batches, stops, held files and proposals. */
  readonly needsYou: number;
  /** Whether money is in doubt, or a result does not fit. */
  readonly isInDoubt: boolean;
  /** Held files and proposals that this person has not made. A held file that is proposed counts once. */
  readonly approvals: number;
  /** Accounts that send nothing until a person resumes them. */
  readonly stopped: number;
};

/** Reads them for one page. @param actor who looks, as in the audit trail */
export async function readBadges({ pool }: Ledger, actor: string): Promise<Badges> {
  const { rows } = await pool.query<Badges>(
    `SELECT *, batches + stops + approvals AS "needsYou" FROM (
       SELECT (SELECT count(*) FROM batch WHERE ${IS_OPEN} AND (${IS_TROUBLED} OR ${IS_LATE})) AS batches,
              EXISTS (SELECT 1 FROM batch WHERE ${IS_OPEN} AND state IN ('unknown', 'exception')) AS "isInDoubt",
              (SELECT count(*) FROM file f WHERE state = 'held'
                 AND NOT EXISTS (SELECT 1 FROM upload u WHERE u.file_id = f.file_id AND u.actor = $1)
                 AND NOT EXISTS (SELECT 1 FROM proposal p
                                 WHERE p.file_id = f.file_id AND p.action = 'approve' AND p.verdict IS NULL))
              + (SELECT count(*) FROM proposal WHERE verdict IS NULL AND made_by <> $1) AS approvals,
              (SELECT count(*) FROM account_stop) AS stops,
              (SELECT count(DISTINCT account) FROM account_stop) AS stopped) counted`,
    [actor],
  );
  const { needsYou, isInDoubt, approvals, stopped } = rows[0]!;
  return { needsYou, isInDoubt, approvals, stopped };
}
