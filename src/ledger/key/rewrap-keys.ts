import type { Ledger } from '../engine/open-ledger.ts';
import { type Transaction, transact } from '../engine/transaction.ts';
import type { Because } from '../engine/move.ts';

/** Wraps a key anew. The ledger knows the owners and nothing of keys. */
export type Rewrap = {
  file(fileId: string, wrapped: Buffer): Buffer;
  vault(name: string, wrapped: Buffer): Buffer;
};

/**
 * From here on every process wraps new things with this master key, if it holds it. May be repeated.
 * @returns false when it was the current one before
 */
export async function makeKeyCurrent(ledger: Ledger, id: string, because: Because): Promise<boolean> {
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

/** Keys wrapped anew in one transaction: few, so that nobody waits long for a file that is locked meanwhile. */
const SLICE = 200;

/**
 * Wraps everything with the master key of this id that is wrapped with another one, in small transactions. After a crash
 * it is done in part, and doing it again goes on from there; every key is wrapped by one master key or another at any
 * moment. A key that was destroyed stays so.
 * @param rewrap throws when a key cannot be opened; that transaction then changes nothing
 * @returns how many keys were wrapped anew
 */
export async function rewrapAll(ledger: Ledger, id: string, rewrap: Rewrap, because: Because): Promise<number> {
  let done = await transact(ledger, (tx) => rewrapVaultKeys(tx, id, rewrap));
  // Files may come in meanwhile, wrapped by a process that has not heard of the new key: a last pass finds nothing.
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

/** @returns ids of the files whose keys were wrapped anew */
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
