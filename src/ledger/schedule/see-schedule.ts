import type { Ledger } from '../engine/open-ledger.ts';

/**
 * Notes that a schedule is there, with its settings. One that is new has nothing to catch up; one whose times were
 * changed has of its new times only what may still be made, so that days on which it never ran are not called missed.
 * What a clock wrote that was ahead of its time is taken back: else nothing would be due until that time.
 * @param rules its settings as text, to be compared
 * @param windowMs how long a run may still be made
 * @returns from when on its runs are due
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
