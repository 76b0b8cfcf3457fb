import type { Ledger } from '../engine/open-ledger.ts';
import type { WaitingNotice } from './read-waiting-notices.ts';

const FIRST_MS = 60_000;
/** Longest wait before a notice is tried again, in ms. */
export const LONGEST_TELL_MS = 3_600_000;

/** Marks notices as delivered. */
export async function noteDelivered(ledger: Ledger, target: string, notices: readonly WaitingNotice[]): Promise<void> {
  await ledger.pool.query(
    `UPDATE alarm_delivery d SET ended_at = $4, fault = NULL, tries = d.tries + 1
     FROM unnest($2::bigint[], $3::text[]) AS n (alarm_no, event)
     WHERE d.target = $1 AND d.alarm_no = n.alarm_no AND d.event = n.event`,
    [target, notices.map(({ alarmNo }) => alarmNo), notices.map(({ event }) => event), ledger.clock.now()],
  );
}

/** Delays undelivered notices, twice as long each time, at most an hour. @param fault without an address or a secret */
export async function noteUndelivered(
  ledger: Ledger,
  target: string,
  notices: readonly WaitingNotice[],
  fault: string,
): Promise<void> {
  await ledger.pool.query(
    `UPDATE alarm_delivery d SET fault = $5, tries = d.tries + 1,
       next_try_at = $4::timestamptz + least($6 * 2 ^ least(d.tries, 20), $7) * interval '1 millisecond'
     FROM unnest($2::bigint[], $3::text[]) AS n (alarm_no, event)
     WHERE d.target = $1 AND d.alarm_no = n.alarm_no AND d.event = n.event`,
    [
      target,
      notices.map(({ alarmNo }) => alarmNo),
      notices.map(({ event }) => event),
      ledger.clock.now(),
      fault,
      FIRST_MS,
      LONGEST_TELL_MS,
    ],
  );
}

/** Ends the open notices of targets that are no longer configured. */
export async function dropStrangers(ledger: Ledger, targets: readonly string[]): Promise<void> {
  await ledger.pool.query(
    `UPDATE alarm_delivery SET ended_at = $2, fault = 'its target is not in the configuration any more'
     WHERE ended_at IS NULL AND target <> ALL ($1)`,
    [targets, ledger.clock.now()],
  );
}
