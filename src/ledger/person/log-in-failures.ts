import { waitLeftMs } from '../../kernel/clock.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { type Transaction, transact } from '../engine/transaction.ts';

/** A name as typed, and where: an address, or a browser that the user has logged in with before. */
export type Attempt = { readonly name: string; readonly place: string };

/** A try that may be compared. It counts as wrong until `forgetFailuresAt`. */
export type CountedTry = {
  /** Tries at this place since the last right password, with this one. */
  readonly failures: number;
  /** How long the place waits after this try, in ms. */
  readonly waitMs: number;
  /** Tries of the last day before this one, from all places. */
  readonly before: number;
};

/** A place that must not try yet. */
type Wait = { readonly waitUntil: Date };

const DAY_MS = 86_400_000;

/** This many wrong passwords start the first wait; each further one doubles it, up to the longest. */
const FORGIVEN = 5;
const FIRST_WAIT_MS = 30_000;
export const LONGEST_WAIT_MS = 15 * 60_000;

/**
 * Counts a try in the ledger before its password is compared, one after the other in all processes: tries that come at
 * once would otherwise all be compared before the first is counted. It is the same for a name that no user has. Only
 * this place waits: a lock of the name would let anyone who knows it shut its owner out (PCI DSS 8.3.4 asks for at most
 * 10 tries and 30 minutes).
 * @returns `waitUntil` when the password must not be compared
 */
export async function countTry(ledger: Ledger, { name, place }: Attempt): Promise<CountedTry | Wait> {
  const yesterday = new Date(ledger.clock.now().getTime() - DAY_MS);
  const counted = await transact(ledger, async (tx): Promise<Omit<CountedTry, 'before'> | Wait> => {
    const { rows } = await tx.client.query<{ failures: number; waitUntil: Date | null }>(
      `INSERT INTO log_in_failure AS f (bucket, place, failures, failed_at) VALUES (name_bucket($1), $2, 0, $3)
       ON CONFLICT (bucket, place) DO UPDATE SET failures = CASE WHEN f.failed_at > $4 THEN f.failures ELSE 0 END
       RETURNING failures, wait_until AS "waitUntil"`,
      [name, place, tx.at, yesterday],
    );
    const { failures: earlier, waitUntil } = rows[0]!;
    if (waitLeftMs(waitUntil, tx.at, LONGEST_WAIT_MS) > 0) return { waitUntil: waitUntil! };
    const failures = earlier + 1;
    const waitMs = waitAfter(failures);
    await tx.client.query(
      `UPDATE log_in_failure SET failures = $3, failed_at = $4, wait_until = $5
       WHERE bucket = name_bucket($1) AND place = $2`,
      [name, place, failures, tx.at, waitMs > 0 ? new Date(tx.at.getTime() + waitMs) : null],
    );
    return { failures, waitMs };
  });
  await ledger.pool.query('DELETE FROM log_in_failure WHERE failed_at <= $1', [yesterday]);
  if ('waitUntil' in counted) return counted;
  return { ...counted, before: (await readTriesOfDay(ledger, name)) - 1 };
}

/** Returns the tries of the last day for a name, from all places, which no right password has ended. */
export async function readTriesOfDay({ pool, clock }: Ledger, name: string): Promise<number> {
  const { rows } = await pool.query<{ tries: number }>(
    `SELECT coalesce(sum(failures), 0)::integer AS tries FROM log_in_failure
     WHERE bucket = name_bucket($1) AND failed_at > $2`,
    [name, new Date(clock.now().getTime() - DAY_MS)],
  );
  return rows[0]!.tries;
}

/**
 * Records a counted try as a wrong password in the audit trail.
 * @param attempt.from client address
 * @param attempt.isUser whether a user of this name may log in. If not, the trail does not keep the name: it may be a
 *   password, typed in the wrong field.
 */
export async function noteFailure(
  ledger: Ledger,
  { name, from, isUser }: { name: string; from: string; isUser: boolean },
  { failures, waitMs }: CountedTry,
): Promise<void> {
  await transact(ledger, async (tx) => {
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
