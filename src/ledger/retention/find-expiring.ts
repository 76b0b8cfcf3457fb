import type { Ledger } from '../engine/open-ledger.ts';
import type { RetentionDays } from './retention.ts';

/** Something that expires at a given moment. */
export type Expiring = { what: 'token' | 'originals'; name: string; at: Date };

/**
 * Returns what expires before a moment, earliest first: valid API tokens (at most 20), and per account its first
 * original. An original expires when its key is destroyed, at the end of its retention.
 */
export async function findExpiring(ledger: Ledger, days: RetentionDays, before: Date): Promise<Expiring[]> {
  const { rows } = await ledger.pool.query<Expiring>(
    `(SELECT 'token' AS what, t.name || ' of ' || t.person AS name, t.expires_at AS at
      FROM api_token t JOIN person p ON p.name = t.person
      WHERE t.revoked_at IS NULL AND t.expires_at > $3 AND t.expires_at < $4 AND p.disabled_at IS NULL
      ORDER BY t.expires_at, t.token_no LIMIT 20)
     UNION ALL
     SELECT 'originals', kept.account, first.state_at + kept.days * interval '1 day'
     FROM unnest($1::text[], $2::int[]) AS kept (account, days), LATERAL (
       SELECT f.state_at FROM file f
       WHERE f.shredded_at IS NULL AND f.account = kept.account
         AND f.state IN ('completed', 'cancelled', 'partly_cancelled', 'rejected')
       ORDER BY f.state_at LIMIT 1) first
     WHERE kept.days > 0 AND first.state_at + kept.days * interval '1 day' < $4
     ORDER BY 3, 1, 2`,
    [Object.keys(days.byAccount), Object.values(days.byAccount), ledger.clock.now(), before],
  );
  return rows;
}
