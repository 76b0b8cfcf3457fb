import type { Ledger } from '../engine/open-ledger.ts';

/** Records the work folders of a site, so that claims in one that leaves the configuration are found. */
export async function noteWorkFolders(
  { pool, clock }: Pick<Ledger, 'pool' | 'clock'>,
  site: string,
  paths: readonly string[],
): Promise<void> {
  await pool.query(
    `INSERT INTO work_folder (site, path, since) SELECT $1, path, $3 FROM unnest($2::text[]) AS path
     WHERE NOT EXISTS (SELECT FROM work_folder w WHERE w.site = $1 AND w.path = path.path) ON CONFLICT DO NOTHING`,
    [site, paths, clock.now()],
  );
}

/** Returns the work folders of a site that are none of these any more. */
export async function listFormerWorkFolders(
  { pool }: Pick<Ledger, 'pool'>,
  site: string,
  present: readonly string[],
): Promise<string[]> {
  const { rows } = await pool.query<{ path: string }>(
    'SELECT path FROM work_folder WHERE site = $1 AND path <> ALL ($2) ORDER BY path',
    [site, present],
  );
  return rows.map(({ path }) => path);
}

/** Forgets a former work folder in which nothing lies. */
export async function forgetWorkFolder({ pool }: Pick<Ledger, 'pool'>, site: string, path: string): Promise<void> {
  await pool.query('DELETE FROM work_folder WHERE site = $1 AND path = $2', [site, path]);
}
