import type { Ledger } from '../../ledger/engine/open-ledger.ts';

/**
 * How far a file of an SFTP server came. `fetching`: nothing is certain; `fetched`: it is here, whole, under a hidden
 * name; `dropped`: it has its name in the drop folder; `done`: the server was told.
 */
export type PullState = 'fetching' | 'fetched' | 'dropped' | 'done';

export type Pull = { pullNo: number; state: PullState; sha256: string | null };

/** Returns what is known about a version of a file, and records the version if it is new. */
export async function beginPull(
  ledger: Ledger,
  file: { folder: string; name: string; identity: Buffer },
): Promise<Pull> {
  const { rows } = await ledger.pool.query<Pull>(
    `INSERT INTO pulled (folder, name, identity, state, state_at) VALUES ($1, $2, $3, 'fetching', $4)
     ON CONFLICT (folder, identity) DO UPDATE SET name = EXCLUDED.name
     RETURNING pull_no AS "pullNo", state, sha256`,
    [file.folder, file.name, file.identity, ledger.clock.now()],
  );
  return rows[0]!;
}

export async function notePull(ledger: Ledger, pullNo: number, state: PullState, sha256?: string): Promise<void> {
  await ledger.pool.query(
    'UPDATE pulled SET state = $2, sha256 = coalesce($3, sha256), state_at = $4 WHERE pull_no = $1',
    [pullNo, state, sha256 ?? null, ledger.clock.now()],
  );
}

/** Returns whether the folder has delivered these exact bytes; a rejected file counts, because it was here. */
export async function wasClaimed(ledger: Ledger, folder: string, sha256: string): Promise<boolean> {
  const { rowCount } = await ledger.pool.query('SELECT 1 FROM file WHERE folder = $1 AND sha256 = $2 LIMIT 1', [
    folder,
    sha256,
  ]);
  return rowCount === 1;
}

/** Returns the pulls of a folder that are here but not confirmed to the server: pull numbers by identity in hex. */
export async function findDropped(ledger: Ledger, folder: string): Promise<Map<string, number>> {
  const { rows } = await ledger.pool.query<{ identity: Buffer; pullNo: number }>(
    `SELECT identity, pull_no AS "pullNo" FROM pulled WHERE folder = $1 AND state = 'dropped'`,
    [folder],
  );
  return new Map(rows.map(({ identity, pullNo }) => [identity.toString('hex'), pullNo]));
}
