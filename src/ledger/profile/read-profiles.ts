import { PROFILE_READER } from '../../../schemas/profiles.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { ProfileRow } from '../engine/records.ts';
import type { Queryable } from '../engine/transaction.ts';

/** Returns all versions of all profiles, or of one, by name and newest first. */
export async function readVersions({ pool }: Ledger, name?: string): Promise<ProfileRow[]> {
  const { rows } = await pool.query<ProfileRow>(
    'SELECT * FROM profile_version WHERE $1::text IS NULL OR name = $1 ORDER BY name, version DESC',
    [name],
  );
  return rows;
}

/** @throws PipelineError NOT_FOUND */
export async function readVersion(queryable: Queryable, profileNo: number): Promise<ProfileRow> {
  const { rows } = await queryable.query<ProfileRow>('SELECT * FROM profile_version WHERE profile_no = $1', [
    profileNo,
  ]);
  if (!rows[0]) throw new PipelineError('NOT_FOUND', `find version ${profileNo} of a profile`);
  return rows[0];
}

/** SQL for the versions that read files: confirmed, and not for another reader. */
const READS = `state = 'confirmed' AND reader = ${PROFILE_READER}`;

/** Returns the version of a profile that reads files now; undefined while none does. */
export async function findConfirmed(queryable: Queryable, name: string): Promise<ProfileRow | undefined> {
  const { rows } = await queryable.query<ProfileRow>(`SELECT * FROM profile_version WHERE name = $1 AND ${READS}`, [
    name,
  ]);
  return rows[0];
}

/** Returns those of the profiles that read nothing now, each with the state of its newest version, if it has one. */
export async function findUnconfirmed(
  { pool }: Ledger,
  names: readonly string[],
): Promise<{ name: string; newest: ProfileRow['state'] | null }[]> {
  if (names.length === 0) return [];
  const { rows } = await pool.query<Awaited<ReturnType<typeof findUnconfirmed>>[number]>(
    `SELECT name, (SELECT v.state FROM profile_version v WHERE v.name = wanted.name ORDER BY version DESC LIMIT 1) AS newest
     FROM unnest($1::text[]) AS wanted (name)
     WHERE NOT EXISTS (SELECT FROM profile_version v WHERE v.name = wanted.name AND ${READS}) ORDER BY name`,
    [names],
  );
  return rows;
}

/** Returns the newest version of a profile whose hash begins so, unless another reader reads it. */
export async function findByHash(queryable: Queryable, name: string, start: string): Promise<ProfileRow | undefined> {
  const { rows } = await queryable.query<ProfileRow>(
    `SELECT * FROM profile_version WHERE name = $1 AND starts_with(sha256, $2) AND reader = ${PROFILE_READER}
     ORDER BY version DESC LIMIT 1`,
    [name, start],
  );
  return rows[0];
}

/**
 * Returns the number of the version that reads files now.
 * @throws PipelineError PROFILE_UNCONFIRMED
 */
export async function mustBeConfirmed(queryable: Queryable, name: string): Promise<number> {
  const version = await findConfirmed(queryable, name);
  if (version) return version.profile_no;
  throw new PipelineError('PROFILE_UNCONFIRMED', `read a file with profile "${name}"`, 'it has no confirmed version', {
    next: `Run "paydrop profile confirm ${name} --sample SAMPLE --reason …".`,
  });
}
