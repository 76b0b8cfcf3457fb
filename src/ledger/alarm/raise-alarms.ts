import { ALARM_KINDS, type AlarmKind } from '../../../schemas/alarms.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { AlarmCause, AlarmFigures } from './find-alarm-causes.ts';
import { storableJson } from '../engine/storable-text.ts';
import { transact, type Transaction } from '../engine/transaction.ts';
import { hasCome } from '../batch/conditions.ts';

/** A cause with its message. `to` is the key of the only target that gets it. */
export type DueAlarm = AlarmCause & { text: string; to?: string };

/** A target, by a key that never changes, its kinds of alarm, and its accounts; empty or left out for all. */
type AlarmAudience = { key: string; kinds: readonly AlarmKind[]; accounts?: readonly string[] | undefined };

/** Records when the alarm watch began. The first call counts, unless its clock was ahead. */
export async function beginAlarmWatch(ledger: Ledger): Promise<void> {
  await ledger.pool.query(
    `INSERT INTO alarm_watch AS w (began_at) VALUES ($1)
     ON CONFLICT (is_only) DO UPDATE SET began_at = excluded.began_at WHERE w.began_at > excluded.began_at`,
    [ledger.clock.now()],
  );
}

/**
 * Raises alarms that are due, clears those that are no longer due, and queues a notice of both for every target. It
 * runs in one transaction and is safe to repeat.
 * @param mayClear whether this process can tell that a subject is over; other alarms stay
 * @returns how many were raised and cleared
 */
export async function raiseAlarms(
  ledger: Ledger,
  due: readonly DueAlarm[],
  audience: readonly AlarmAudience[],
  mayClear: (kind: AlarmKind, subject: string) => boolean,
): Promise<{ raised: number; cleared: number }> {
  const isDue = new Set(due.map(keyOf));
  return transact(ledger, async (tx) => {
    const open = await readOpen(tx);
    const isOpen = new Set(open.map(keyOf));
    let raised = 0;
    for (const alarm of due.filter((one) => !isOpen.has(keyOf(one)))) raised += await raise(tx, alarm, audience);
    const over = open.filter((alarm) => mayClear(alarm.kind, alarm.subject) && !isDue.has(keyOf(alarm)));
    for (const alarm of over) {
      await tx.client.query('UPDATE alarm SET cleared_at = $2 WHERE alarm_no = $1', [alarm.alarmNo, tx.at]);
      await enqueue(tx, alarm.alarmNo, 'cleared', audienceOf(alarm, audience));
    }
    return { raised, cleared: over.length };
  });
}

type Raised = { kind: AlarmKind; subject: string; account: string | null };

function keyOf({ kind, subject }: Pick<Raised, 'kind' | 'subject'>): string {
  return `${kind} ${subject}`;
}

/** Raises an alarm. One that does not last is cleared at once. */
async function raise(tx: Transaction, alarm: DueAlarm, audience: readonly AlarmAudience[]): Promise<number> {
  const { kind, subject, account, figures, text } = alarm;
  const { lasts } = ALARM_KINDS[kind];
  const { rows } = await tx.client.query<{ alarmNo: number }>(
    `INSERT INTO alarm (kind, subject, account, text, figures, raised_at, cleared_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (kind, subject) WHERE cleared_at IS NULL DO NOTHING RETURNING alarm_no AS "alarmNo"`,
    [kind, subject, account, text, storableJson(figures), tx.at, lasts ? null : tx.at],
  );
  if (!rows[0]) return 0;
  await enqueue(tx, rows[0].alarmNo, 'raised', audienceOf(alarm, audience));
  return 1;
}

async function readOpen(tx: Transaction): Promise<(Raised & { alarmNo: number })[]> {
  const { rows } = await tx.client.query<Raised & { alarmNo: number }>(
    'SELECT alarm_no AS "alarmNo", kind, subject, account FROM alarm WHERE cleared_at IS NULL ORDER BY alarm_no FOR UPDATE',
  );
  return rows;
}

/** Returns the keys of the targets that want this alarm. */
function audienceOf({ kind, account, to }: Raised & { to?: string }, audience: readonly AlarmAudience[]): string[] {
  const isAbout = (accounts: readonly string[] = []) =>
    account === null || accounts.length === 0 || accounts.includes(account);
  const wanting = audience.filter((one) => one.kinds.includes(kind) && isAbout(one.accounts));
  return wanting.map(({ key }) => key).filter((key) => to === undefined || to === key);
}

async function enqueue(
  tx: Transaction,
  alarmNo: number,
  event: 'raised' | 'cleared',
  keys: readonly string[],
): Promise<void> {
  await tx.client.query(
    `INSERT INTO alarm_delivery (alarm_no, event, target, next_try_at)
     SELECT $1, $2, key, $4 FROM unnest($3::text[]) AS key ON CONFLICT DO NOTHING`,
    [alarmNo, event, keys, tx.at],
  );
}

/** Returns those of these subjects for which an alarm of this kind was raised before. */
export async function readRaised({ pool }: Ledger, kind: AlarmKind, subjects: readonly string[]): Promise<Set<string>> {
  const { rows } = await pool.query<{ subject: string }>(
    'SELECT subject FROM alarm WHERE kind = $1 AND subject = ANY ($2)',
    [kind, subjects],
  );
  return new Set(rows.map(({ subject }) => subject));
}

const FIRST_MS = 60_000;
const LONGEST_TELL_MS = 3_600_000;

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
    `UPDATE alarm_delivery SET ended_at = $2, fault = 'its target is no longer in the configuration'
     WHERE ended_at IS NULL AND target <> ALL ($1)`,
    [targets, ledger.clock.now()],
  );
}

type WaitingNotice = {
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
 * (`src/notify`), so the limit only bounds memory.
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
