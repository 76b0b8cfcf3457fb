import type { Ledger } from '../engine/open-ledger.ts';

/**
 * The wrapped key of this name, made at the first call. Two processes at their first start agree on one: the insert of
 * the second is ignored and both read the same row.
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
