import type { PersonRole } from '../../../schemas/actions.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { AuditReason } from '../engine/move.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { transact } from '../engine/transaction.ts';
import type { PersonSettings } from './people.ts';

type Session = {
  readonly person: string;
  readonly role: PersonRole;
  /** What every form must send along. */
  readonly csrf: string;
  readonly beganAt: Date;
  /** When the user last proved who they are. */
  readonly provedAt: Date;
  readonly settings: PersonSettings;
  /** How the user proved who they are. */
  readonly by: string;
  readonly hasFactor: boolean;
};

/** How long a session lasts, in ms: without a click, and in total. */
type SessionLimits = { readonly idleMs: number; readonly longestMs: number };

/** SQL: the session `s` of user `p` works. `limitsOf` are its first three parameters. */
const WORKS = `p.disabled_at IS NULL AND s.seen_at > $1 AND s.began_at > $2 AND greatest(s.seen_at, s.began_at) < $3`;

function limitsOf({ clock }: Pick<Ledger, 'clock'>, { idleMs, longestMs }: SessionLimits): Date[] {
  const now = clock.now().getTime();
  return [new Date(now - idleMs), new Date(now - longestMs), new Date(now + AHEAD_MS)];
}

/** Returns which of these sessions still work, as the hex of their hashes. */
export async function readWorking(
  ledger: Ledger,
  tokenHashes: readonly Buffer[],
  limits: SessionLimits,
): Promise<ReadonlySet<string>> {
  const { rows } = await ledger.pool.query<{ hash: string }>(
    `SELECT encode(s.token_hash, 'hex') AS hash FROM user_session s JOIN person p ON p.name = s.person
     WHERE s.token_hash = ANY ($4) AND ${WORKS}`,
    [...limitsOf(ledger, limits), tokenHashes],
  );
  return new Set(rows.map(({ hash }) => hash));
}

/** Records a login. The secret is always new, so that no user can be tricked into using another's session. */
export async function beginSession(
  ledger: Ledger,
  session: { person: string; tokenHash: Buffer; csrf: string; by: string; address: string; browser: string },
): Promise<void> {
  const { person, tokenHash, csrf, by, address, browser } = session;
  await transact(ledger, async (tx) => {
    await tx.client.query(
      `INSERT INTO user_session (token_hash, person, csrf, began_at, seen_at, proved_at, began_by, address, browser)
       VALUES ($1, $2, $3, $4, $4, $4, $5, $6, $7)`,
      [tokenHash, person, csrf, tx.at, by, address, browser],
    );
    tx.audit({ actor: `operator:${person}`, move: 'log-in', reason: by, evidence: { from: address, browser } });
  });
}

/**
 * Returns a session and records the user's visit. Role and permission are read each time, so a change takes effect at
 * the next click.
 * @param options.isPerson whether a user clicked; automatic requests of a page do not keep a session alive
 * @returns undefined when there is none, or no longer
 */
export async function useSession(
  ledger: Ledger,
  tokenHash: Buffer,
  limits: SessionLimits,
  { isPerson = true } = {},
): Promise<Session | undefined> {
  const { rows } = await ledger.pool.query<Session & { seenAt: Date }>(
    `SELECT s.person, p.role, s.csrf, s.began_at AS "beganAt", s.proved_at AS "provedAt", p.settings, s.began_by AS by, s.seen_at AS "seenAt",
            EXISTS (SELECT 1 FROM second_factor f WHERE f.person = s.person AND f.confirmed_at IS NOT NULL) AS "hasFactor"
     FROM user_session s JOIN person p ON p.name = s.person
     WHERE s.token_hash = $4 AND ${WORKS}`,
    [...limitsOf(ledger, limits), tokenHash],
  );
  const [found] = rows;
  if (!found) return undefined;
  const { seenAt, ...session } = found;
  // To the minute is enough, if the idle time has many; a page that polls often must not write often.
  const now = ledger.clock.now();
  if (isPerson && now.getTime() - seenAt.getTime() > Math.min(SEEN_EACH_MS, limits.idleMs / 15)) {
    await ledger.pool.query('UPDATE user_session SET seen_at = $2 WHERE token_hash = $1', [tokenHash, now]);
  }
  return session;
}

const SEEN_EACH_MS = 60_000;

/** A time further in the future than this, in ms, comes from a wrong clock and would be valid for too long. */
export const AHEAD_MS = 3_600_000;

/** Notes that the user of a session has just proved who they are. */
export async function noteProof({ pool, clock }: Ledger, tokenHash: Buffer): Promise<void> {
  await pool.query('UPDATE user_session SET proved_at = $2 WHERE token_hash = $1', [tokenHash, clock.now()]);
}

export async function endSession(ledger: Ledger, tokenHash: Buffer): Promise<void> {
  await transact(ledger, async (tx) => {
    const { rows } = await tx.client.query<{ person: string }>(
      'DELETE FROM user_session WHERE token_hash = $1 RETURNING person',
      [tokenHash],
    );
    if (!rows[0]) return;
    tx.audit({ actor: `operator:${rows[0].person}`, move: 'log-out', reason: 'asked for' });
  });
}

/** A session as its user sees it. */
export type OpenSession = {
  readonly sessionNo: number;
  /** Whether it is the one that asks. */
  readonly isThis: boolean;
  readonly by: string;
  readonly address: string;
  readonly browser: string;
  readonly beganAt: Date;
  readonly seenAt: Date;
};

/** Lists the sessions of a user that work, the one in use first. @param asking hash of that one */
export async function listSessions(
  ledger: Ledger,
  { person, asking }: { person: string; asking: Buffer },
  limits: SessionLimits,
): Promise<OpenSession[]> {
  const { rows } = await ledger.pool.query<OpenSession>(
    `SELECT s.session_no AS "sessionNo", s.token_hash = $5 AS "isThis", s.began_by AS by, s.address, s.browser,
            s.began_at AS "beganAt", s.seen_at AS "seenAt"
     FROM user_session s JOIN person p ON p.name = s.person WHERE s.person = $4 AND ${WORKS}
     ORDER BY s.token_hash = $5 DESC, s.seen_at DESC, s.session_no LIMIT 200`,
    [...limitsOf(ledger, limits), person, asking],
  );
  return rows;
}

/**
 * Ends one session of a user.
 * @throws PipelineError NOT_FOUND when it is not theirs, or has ended
 */
export async function endSessionOf(
  ledger: Ledger,
  { sessionNo, person }: { sessionNo: number; person: string },
  because: AuditReason,
): Promise<void> {
  await transact(ledger, async (tx) => {
    const sql = 'DELETE FROM user_session WHERE session_no = $1 AND person = $2';
    const { rowCount } = await tx.client.query(sql, [sessionNo, person]);
    if (rowCount === 0) throw new PipelineError('NOT_FOUND', `end session ${sessionNo}`);
    tx.audit({ ...because, move: 'end-session', evidence: { person, sessions: 1 } });
  });
}

/** Ends the sessions of a user. @param keep hash of one that stays; without it, all end */
export async function endOtherSessions(
  ledger: Ledger,
  person: string,
  keep: Buffer | undefined,
  because: AuditReason,
): Promise<void> {
  await transact(ledger, async (tx) => {
    const sql = 'DELETE FROM user_session WHERE person = $1 AND token_hash IS DISTINCT FROM $2';
    const { rowCount: sessions } = await tx.client.query(sql, [person, keep]);
    tx.audit({ ...because, move: 'end-session', evidence: { person, sessions } });
  });
}

/** Deletes the sessions that no longer work. */
export async function forgetOldSessions(ledger: Ledger, { idleMs, longestMs }: SessionLimits): Promise<void> {
  const now = ledger.clock.now().getTime();
  await ledger.pool.query(
    'DELETE FROM user_session WHERE seen_at <= $1 OR began_at <= $2 OR greatest(seen_at, began_at) >= $3',
    [new Date(now - idleMs), new Date(now - longestMs), new Date(now + AHEAD_MS)],
  );
}
