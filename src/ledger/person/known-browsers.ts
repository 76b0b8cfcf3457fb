import type { Ledger } from '../engine/open-ledger.ts';
import { type Transaction, transact } from '../engine/transaction.ts';

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
