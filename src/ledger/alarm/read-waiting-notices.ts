import type { AlarmKind } from '../../../schemas/alarms.ts';
import { hasCome } from '../duplicates/has-come.ts';
import { LONGEST_TELL_MS } from './end-deliveries.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { AlarmFigures } from './find-alarm-causes.ts';

/** One notice for a target. */
export type WaitingNotice = {
  alarmNo: number;
  event: 'raised' | 'cleared';
  kind: AlarmKind;
  subject: string;
  account: string | null;
  text: string;
  figures: AlarmFigures;
  at: Date;
};

/**
 * Returns the notices due for this target, in the order of their events. Many alarms at once become one message
 * (`notify/tell.ts`), so the limit only bounds memory.
 */
export async function readWaitingNotices(ledger: Ledger, target: string, limit = 50_000): Promise<WaitingNotice[]> {
  const { rows } = await ledger.pool.query<WaitingNotice>(
    `SELECT d.alarm_no AS "alarmNo", d.event, a.kind, a.subject, a.account, a.text, a.figures,
            CASE d.event WHEN 'raised' THEN a.raised_at ELSE a.cleared_at END AS at
     FROM alarm_delivery d JOIN alarm a USING (alarm_no)
     WHERE d.ended_at IS NULL AND d.target = $1 AND ${hasCome('d.next_try_at', '$2', LONGEST_TELL_MS)}
     ORDER BY 8, d.alarm_no, d.event DESC LIMIT $3`,
    [target, ledger.clock.now(), limit],
  );
  return rows;
}
