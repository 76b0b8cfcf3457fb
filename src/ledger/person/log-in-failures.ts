import type { Ledger } from '../engine/open-ledger.ts';
import { type Transaction, transact } from '../engine/transaction.ts';

/** A name as typed, and where: an address, or a browser that the user has logged in with before. */
export type Attempt = { readonly name: string; readonly place: string };

/** What the wrong passwords for a name lead to. */
export type Failures = {
  /** When this place may try again; null for at once. */
  readonly waitUntil: Date | null;
  /** Wrong passwords of the last day, from all places. */
  readonly today: number;
};

const DAY_MS = 86_400_000;

/** Reads what was counted for a name. It is the same for a name that no user has. */
export async function readFailures({ pool, clock }: Ledger, { name, place }: Attempt): Promise<Failures> {
  const { rows } = await pool.query<Failures>(
    `SELECT max(wait_until) FILTER (WHERE place = $2) AS "waitUntil", coalesce(sum(failures), 0)::integer AS today
     FROM log_in_failure WHERE bucket = name_bucket($1) AND failed_at > $3`,
    [name, place, new Date(clock.now().getTime() - DAY_MS)],
  );
  return rows[0]!;
}

/** This many wrong passwords start the first wait; each further one doubles it, up to the longest. */
const FORGIVEN = 5;
const FIRST_WAIT_MS = 30_000;
export const LONGEST_WAIT_MS = 15 * 60_000;

/**
 * Records a wrong password in the ledger, so that it counts in every process. Only this place waits: a lock of the name
 * would let anyone who knows it shut its owner out (PCI DSS 8.3.4 asks for at most 10 tries and 30 minutes).
 * @param attempt.from client address, for the audit trail
 * @param attempt.isUser whether a user of this name may log in. If not, the trail does not keep the name: it may be a
 *   password, typed in the wrong field.
 */
export async function noteFailure(
  ledger: Ledger,
  { name, place, from, isUser }: Attempt & { from: string; isUser: boolean },
): Promise<void> {
  await transact(ledger, async (tx) => {
    const yesterday = new Date(tx.at.getTime() - DAY_MS);
    const { rows } = await tx.client.query<{ failures: number }>(
      `INSERT INTO log_in_failure AS f (bucket, place, failures, failed_at) VALUES (name_bucket($1), $2, 1, $3)
       ON CONFLICT (bucket, place) DO UPDATE
       SET failures = CASE WHEN f.failed_at > $4 THEN f.failures + 1 ELSE 1 END, failed_at = $3
       RETURNING failures`,
      [name, place, tx.at, yesterday],
    );
    const { failures } = rows[0]!;
    const waitMs = waitAfter(failures);
    await tx.client.query('UPDATE log_in_failure SET wait_until = $3 WHERE bucket = name_bucket($1) AND place = $2', [
      name,
      place,
      waitMs > 0 ? new Date(tx.at.getTime() + waitMs) : null,
    ]);
    await tx.client.query('DELETE FROM log_in_failure WHERE failed_at <= $1', [yesterday]);
    const evidence = { failures, waitSeconds: waitMs / 1_000, from };
    const [actor, reason] = isUser ? [`operator:${name}`, 'wrong password'] : ['stranger', 'unknown name'];
    tx.audit({ actor, move: 'log-in-failed', reason, evidence });
  });
}

/** Returns the wait before the next try after this many wrong passwords, in ms. */
export function waitAfter(failures: number): number {
  if (failures < FORGIVEN) return 0;
  return Math.min(FIRST_WAIT_MS * 2 ** (failures - FORGIVEN), LONGEST_WAIT_MS);
}

/** Forgets what was counted at a place, after the right password there. */
export async function forgetFailuresAt({ pool }: Ledger, { name, place }: Attempt): Promise<void> {
  await pool.query('DELETE FROM log_in_failure WHERE bucket = name_bucket($1) AND place = $2', [name, place]);
}

/** Forgets what was counted for a name anywhere, when its user gets a new log-in. */
export async function forgetFailures({ client }: Transaction, name: string): Promise<void> {
  await client.query('DELETE FROM log_in_failure WHERE bucket = name_bucket($1)', [name]);
}

/** How long a browser stays known after a log-in, in days. */
export const KNOWN_DAYS = 90;

/** Browsers that each user may have; the oldest is forgotten. More would give one user many counts of wrong passwords. */
const MOST_KNOWN = 10;

/** Returns whose browser it is; undefined when no user has logged in there of late. */
export async function findKnownBrowser({ pool, clock }: Ledger, tokenHash: Buffer): Promise<string | undefined> {
  const since = new Date(clock.now().getTime() - KNOWN_DAYS * 86_400_000);
  const { rows } = await pool.query<{ person: string }>(
    'SELECT person FROM known_browser WHERE token_hash = $1 AND known_at > $2',
    [tokenHash, since],
  );
  return rows[0]?.person;
}

/**
 * Remembers the browser of a log-in, by the hash of a new secret.
 * @param instead hash of what the browser brought along, which ends
 */
export async function rememberBrowser(
  ledger: Ledger,
  { person, tokenHash, instead }: { person: string; tokenHash: Buffer; instead: Buffer | undefined },
): Promise<void> {
  await transact(ledger, async (tx) => {
    await tx.client.query('DELETE FROM known_browser WHERE token_hash = $1', [instead]);
    await tx.client.query('INSERT INTO known_browser (token_hash, person, known_at) VALUES ($1, $2, $3)', [
      tokenHash,
      person,
      tx.at,
    ]);
    await tx.client.query(
      `DELETE FROM known_browser WHERE token_hash IN
         (SELECT token_hash FROM known_browser WHERE person = $1 ORDER BY known_at DESC OFFSET $2)`,
      [person, MOST_KNOWN],
    );
  });
}

/** Forgets all browsers of a user, whose log-in may have been stolen. */
export async function forgetBrowsers({ client }: Transaction, person: string): Promise<void> {
  await client.query('DELETE FROM known_browser WHERE person = $1', [person]);
}
