import type { Ledger } from '../engine/open-ledger.ts';

/** Returns the id of the master key that wraps new keys; undefined if it was never changed. */
export async function readCurrentKeyId(ledger: Ledger): Promise<string | undefined> {
  const { rows } = await ledger.pool.query<{ id: string }>('SELECT key_id AS id FROM master_key WHERE is_current');
  return rows[0]?.id;
}

/** How many keys each master key wraps: data keys of files, and keys that outlive a file. */
export type KeyUse = { id: string; files: number; others: number; isCurrent: boolean; retiredAt: Date | null };

/** Returns every master key that wraps something or that the ledger has recorded. */
export async function readKeyUses(ledger: Ledger): Promise<KeyUse[]> {
  const { rows } = await ledger.pool.query<KeyUse>(
    `SELECT id, coalesce(sum(files), 0)::int AS files, coalesce(sum(others), 0)::int AS others,
            coalesce(bool_or(k.is_current), false) AS "isCurrent", max(k.retired_at) AS "retiredAt"
     FROM (SELECT wrapped_by(wrapped_key) AS id, 1 AS files, 0 AS others FROM file_secret
           UNION ALL SELECT wrapped_by(wrapped), 0, 1 FROM vault_key
           UNION ALL SELECT key_id, 0, 0 FROM master_key) used
     LEFT JOIN master_key k ON k.key_id = used.id
     GROUP BY id ORDER BY id`,
  );
  return rows;
}
