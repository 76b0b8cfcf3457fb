import type { Ledger } from '../engine/open-ledger.ts';
import { byNumber, counted } from '../../kernel/counted.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { transact, type Transaction } from '../engine/transaction.ts';
import type { AuditReason } from '../engine/move.ts';

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

/**
 * Returns the wrapped key of this name, creating it at the first call. Two processes that start for the first time
 * agree on one: the second insert is ignored, and both read the same row.
 */
export async function readVaultKey(ledger: Ledger, name: string, make: () => Buffer): Promise<Buffer> {
  const { rows } = await ledger.pool.query<{ wrapped: Buffer }>('SELECT wrapped FROM vault_key WHERE name = $1', [
    name,
  ]);
  if (rows[0]) return rows[0].wrapped;
  await ledger.pool.query('INSERT INTO vault_key (name, wrapped) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    name,
    make(),
  ]);
  return readVaultKey(ledger, name, make);
}

/**
 * Bars a master key forever: from now on the database refuses what it wraps, from any process. Both tables are locked
 * meanwhile, so a file being taken in is either counted or refused. May be repeated.
 * @throws KEY_IN_USE while it is the current one or wraps anything; then nothing was changed
 */
export async function retireKey(ledger: Ledger, id: string, because: AuditReason): Promise<void> {
  await transact(ledger, async (tx) => {
    await tx.client.query('LOCK TABLE file_secret, vault_key IN SHARE ROW EXCLUSIVE MODE');
    const { rows } = await tx.client.query<{ current: boolean; used: number }>(
      `SELECT EXISTS (SELECT FROM master_key WHERE key_id = $1 AND is_current) AS current,
              (SELECT count(*)::int FROM file_secret WHERE wrapped_by(wrapped_key) = $1)
              + (SELECT count(*)::int FROM vault_key WHERE wrapped_by(wrapped) = $1) AS used`,
      [id],
    );
    const { current, used } = rows[0]!;
    const action = `retire master key "${id}"`;
    if (current) throw new PipelineError('KEY_IN_USE', action, 'it is the current one');
    if (used > 0)
      throw new PipelineError(
        'KEY_IN_USE',
        action,
        `${counted(used, 'key')} ${byNumber(used, 'is', 'are')} wrapped with it`,
      );
    const { rowCount } = await tx.client.query(
      `INSERT INTO master_key (key_id, since, retired_at) VALUES ($1, $2, $2)
       ON CONFLICT (key_id) DO UPDATE SET retired_at = $2 WHERE master_key.retired_at IS NULL`,
      [id, tx.at],
    );
    if (rowCount) tx.audit({ ...because, move: 'retire-key', evidence: { key: id } });
  });
}

type Rewrap = {
  file(fileId: string, wrapped: Buffer): Buffer;
  vault(name: string, wrapped: Buffer): Buffer;
};

/**
 * Makes a master key the current one: from now on every process that holds it wraps new keys with it. May be repeated.
 * @returns false when it was current before
 */
export async function makeKeyCurrent(ledger: Ledger, id: string, because: AuditReason): Promise<boolean> {
  return transact(ledger, async (tx) => {
    const { rows } = await tx.client.query<{ id: string }>(
      'UPDATE master_key SET is_current = false WHERE is_current AND key_id <> $1 RETURNING key_id AS id',
      [id],
    );
    const { rowCount } = await tx.client.query(
      `INSERT INTO master_key (key_id, is_current, since) VALUES ($1, true, $2)
       ON CONFLICT (key_id) DO UPDATE SET is_current = true, since = $2 WHERE NOT master_key.is_current`,
      [id, tx.at],
    );
    if (!rowCount) return false;
    tx.audit({ ...because, move: 'change-key', evidence: { to: id, from: rows[0]?.id ?? null } });
    return true;
  });
}

/** Keys rewrapped in one transaction: few, so that no process waits long for a locked file. */
const SLICE = 200;

/**
 * Rewraps with this master key everything that another one wraps, in small transactions. After a crash, running it
 * again continues. At any moment one master key or another wraps every key. A destroyed key stays destroyed.
 * @param rewrap throws when a key cannot be opened; that transaction then changes nothing
 * @returns how many keys were rewrapped
 */
export async function rewrapAll(ledger: Ledger, id: string, rewrap: Rewrap, because: AuditReason): Promise<number> {
  let done = await transact(ledger, (tx) => rewrapVaultKeys(tx, id, rewrap));
  // Files may arrive meanwhile, wrapped by a process that does not know the new key yet. Repeat until none is left.
  for (let pass = -1; pass !== 0; done += pass) pass = await rewrapFiles(ledger, id, rewrap);
  if (done > 0)
    await transact(ledger, async (tx) =>
      tx.audit({ ...because, move: 'rewrap-keys', evidence: { to: id, keys: done } }),
    );
  return done;
}

async function rewrapVaultKeys(tx: Transaction, id: string, rewrap: Rewrap): Promise<number> {
  const { rows } = await tx.client.query<{ name: string; wrapped: Buffer }>(
    'SELECT name, wrapped FROM vault_key WHERE wrapped_by(wrapped) <> $1 ORDER BY name FOR UPDATE',
    [id],
  );
  for (const { name, wrapped } of rows)
    await tx.client.query('UPDATE vault_key SET wrapped = $2 WHERE name = $1', [name, rewrap.vault(name, wrapped)]);
  return rows.length;
}

async function rewrapFiles(ledger: Ledger, id: string, rewrap: Rewrap): Promise<number> {
  let done = 0;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const from: string = after;
    const slice = await transact(ledger, (tx) => rewrapSlice(tx, { id, from }, rewrap));
    done += slice.length;
    after = slice.at(-1);
  }
  return done;
}

/** @returns ids of the files whose keys were rewrapped */
async function rewrapSlice(
  tx: Transaction,
  { id, from }: { id: string; from: string },
  rewrap: Rewrap,
): Promise<string[]> {
  const { rows } = await tx.client.query<{ fileId: string; wrapped: Buffer }>(
    `SELECT file_id AS "fileId", wrapped_key AS wrapped FROM file_secret
     WHERE file_id > $2 AND wrapped_by(wrapped_key) <> $1
     ORDER BY file_id LIMIT ${SLICE} FOR NO KEY UPDATE`,
    [id, from],
  );
  await tx.client.query(
    `UPDATE file_secret f SET wrapped_key = n.wrapped FROM unnest($1::text[], $2::bytea[]) AS n (file_id, wrapped)
     WHERE f.file_id = n.file_id`,
    [rows.map((row) => row.fileId), rows.map((row) => rewrap.file(row.fileId, row.wrapped))],
  );
  return rows.map((row) => row.fileId);
}
