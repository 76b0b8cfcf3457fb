import type { Ledger } from '../engine/open-ledger.ts';

/** Who dropped a file at the desk; undefined for one that came into its folder some other way. */
export async function readMaker({ pool }: Ledger, fileId: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ actor: string }>('SELECT actor FROM upload WHERE file_id = $1', [fileId]);
  return rows[0]?.actor;
}
