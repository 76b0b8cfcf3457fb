import type { PersonRole } from '../../../schemas/desk.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { transact } from '../engine/transaction.ts';

/** Somebody who is logged in. */
export type Session = {
  readonly person: string;
  readonly role: PersonRole;
  /** What each form of his pages must bring along. */
  readonly csrf: string;
  readonly beganAt: Date;
};

/** How long a session lasts, in ms: without a click, and altogether. */
export type SessionLimits = { readonly idleMs: number; readonly longestMs: number };

/** Writes that somebody logged in. The secret is always a new one, so nobody can be made to use a session of another's. */
export async function beginSession(
  ledger: Ledger,
  session: { person: string; tokenHash: Buffer; csrf: string; by: string },
): Promise<void> {
  const { person, tokenHash, csrf, by } = session;
  await transact(ledger, async (tx) => {
    await tx.client.query(
      'INSERT INTO desk_session (token_hash, person, csrf, began_at, seen_at) VALUES ($1, $2, $3, $4, $4)',
      [tokenHash, person, csrf, tx.at],
    );
    await tx.client.query('UPDATE person SET failures = 0, locked_until = NULL WHERE name = $1', [person]);
    tx.audit({ actor: `operator:${person}`, move: 'log-in', reason: by });
  });
}

/**
 * Whose session it is, and that he was here. Role and permission are read each time, so a change of them holds at the
 * next click.
 * @param options.isPerson whether somebody clicked; what a page asks by itself does not keep a session alive
 * @returns undefined when there is none (any more)
 */
export async function useSession(
  ledger: Ledger,
  tokenHash: Buffer,
  { idleMs, longestMs }: SessionLimits,
  { isPerson = true } = {},
): Promise<Session | undefined> {
  const now = ledger.clock.now().getTime();
  const { rows } = await ledger.pool.query<Session & { seenAt: Date }>(
    `SELECT s.person, p.role, s.csrf, s.began_at AS "beganAt", s.seen_at AS "seenAt"
     FROM desk_session s JOIN person p ON p.name = s.person
     WHERE s.token_hash = $1 AND p.disabled_at IS NULL AND s.seen_at > $2 AND s.began_at > $3
       AND greatest(s.seen_at, s.began_at) < $4`,
    [tokenHash, new Date(now - idleMs), new Date(now - longestMs), new Date(now + AHEAD_MS)],
  );
  const [found] = rows;
  if (!found) return undefined;
  const { seenAt, ...session } = found;
  // To the minute is enough; a page that asks often must not write often.
  if (isPerson && now - seenAt.getTime() > SEEN_EACH_MS) {
    await ledger.pool.query('UPDATE desk_session SET seen_at = $2 WHERE token_hash = $1', [tokenHash, new Date(now)]);
  }
  return session;
}

const SEEN_EACH_MS = 60_000;

/** What is further in the future, in ms, was written by a clock that was wrong, and would last as long as it was ahead. */
export const AHEAD_MS = 3_600_000;

export async function endSession(ledger: Ledger, tokenHash: Buffer): Promise<void> {
  await transact(ledger, async (tx) => {
    const { rows } = await tx.client.query<{ person: string }>(
      'DELETE FROM desk_session WHERE token_hash = $1 RETURNING person',
      [tokenHash],
    );
    if (!rows[0]) return;
    tx.audit({ actor: `operator:${rows[0].person}`, move: 'log-out', reason: 'asked for' });
  });
}

/** Removes what nobody can use any more. */
export async function forgetOldSessions(ledger: Ledger, { idleMs, longestMs }: SessionLimits): Promise<void> {
  const now = ledger.clock.now().getTime();
  await ledger.pool.query(
    'DELETE FROM desk_session WHERE seen_at <= $1 OR began_at <= $2 OR greatest(seen_at, began_at) >= $3',
    [new Date(now - idleMs), new Date(now - longestMs), new Date(now + AHEAD_MS)],
  );
}
