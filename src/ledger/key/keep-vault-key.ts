import type { Ledger } from '../engine/open-ledger.ts';

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
