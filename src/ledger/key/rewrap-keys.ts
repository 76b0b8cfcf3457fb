import type { Ledger } from '../engine/open-ledger.ts';
import { type Transaction, transact } from '../engine/transaction.ts';
import type { AuditReason } from '../engine/move.ts';

/** Rewraps a key. The ledger knows the owners but nothing about keys. */
export type Rewrap = {
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
