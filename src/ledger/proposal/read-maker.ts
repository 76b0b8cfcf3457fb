import type { Ledger } from '../engine/open-ledger.ts';

/** Returns who dropped a file on the dashboard; undefined for a file that arrived another way. */
export async function readMaker({ pool }: Ledger, fileId: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ actor: string }>('SELECT actor FROM upload WHERE file_id = $1', [fileId]);
  return rows[0]?.actor;
}
