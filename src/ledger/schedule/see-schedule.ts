import type { Ledger } from '../engine/open-ledger.ts';

/**
 * Records a schedule with its settings. A new one has nothing to catch up on. One whose times changed catches up only
 * on what may still be made. So days on which it never ran do not count as missed. A time from a clock that was ahead
 * is corrected; otherwise nothing would be due until then.
 * @param rules its settings as text, for comparison
 * @param windowMs how long a run may still be made
 * @returns since when its runs are due
 */
export async function seeSchedule(ledger: Ledger, name: string, rules: string, windowMs: number): Promise<Date> {
  const now = ledger.clock.now();
  const { rows: known } = await ledger.pool.query<{ since: Date }>(
    'SELECT since FROM schedule WHERE name = $1 AND rules = $2',
    [name, rules],
  );
  if (known[0] && known[0].since <= now) return known[0].since;
  const { rows } = await ledger.pool.query<{ since: Date }>(
    `INSERT INTO schedule (name, rules, since) VALUES ($1, $2, $3)
     ON CONFLICT (name) DO UPDATE
     SET rules = $2, since = CASE WHEN schedule.since > $3 THEN $3 ELSE greatest(schedule.since, $4) END RETURNING since`,
    [name, rules, now, new Date(now.getTime() - windowMs)],
  );
  return rows[0]!.since;
}
