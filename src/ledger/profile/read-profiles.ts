import { FOLDER_OPERATIONS, type FolderOperation } from '../../../schemas/operations.ts';
import { PROFILE_READER } from '../../../schemas/profiles.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { ProfileRow } from '../engine/records.ts';
import type { Queryable, Transaction } from '../engine/transaction.ts';

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

/**
 * Returns the confirmed version of the same profile, this one or a later one; undefined when the profile was retired. It
 * cannot be retired before the transaction ends, which decides about a file read with this version.
 */
export async function holdProfile({ client }: Transaction, profileNo: number): Promise<ProfileRow | undefined> {
  const { rows } = await client.query<ProfileRow>(
    `SELECT now.* FROM profile_version read JOIN profile_version now ON now.name = read.name AND now.state = 'confirmed'
     WHERE read.profile_no = $1 FOR SHARE OF now`,
    [profileNo],
  );
  return rows[0];
}

/** SQL for the versions that read files: confirmed, and not for another reader. */
const READS = `state = 'confirmed' AND reader = ${PROFILE_READER}`;

/** A folder's profile, and whether its amounts are charges or refunds. */
export type ProfileUse = { readonly profile: string; readonly operation: FolderOperation };

/** Returns the version of a profile that reads files now; undefined while none does. */
export async function findConfirmed(queryable: Queryable, name: string): Promise<ProfileRow | undefined> {
  const { rows } = await queryable.query<ProfileRow>(`SELECT * FROM profile_version WHERE name = $1 AND ${READS}`, [
    name,
  ]);
  return rows[0];
}

/** Does the same for a folder: what was confirmed for charges reads no refunds, and the reverse. */
export async function findReading(queryable: Queryable, use: ProfileUse): Promise<ProfileRow | undefined> {
  const version = await findConfirmed(queryable, use.profile);
  return version && Math.sign(version.sample_cents ?? 0) === signOf(use) ? version : undefined;
}

function signOf({ operation }: Pick<ProfileUse, 'operation'>): 1 | -1 {
  return FOLDER_OPERATIONS[operation].sign;
}

/** Returns the profiles of folders. */
export function usesOf(folders: readonly { profile?: string | undefined; operation: FolderOperation }[]): ProfileUse[] {
  return folders.flatMap(({ profile, operation }) => (profile === undefined ? [] : [{ profile, operation }]));
}

/** A profile that reads nothing in some folders. */
export type Unconfirmed = {
  name: string;
  /** The sign of those folders, when it reads in folders of the other sign; null when it reads nowhere. */
  sign: 1 | -1 | null;
  /** State of its newest version, if it has one. */
  newest: ProfileRow['state'] | null;
};

/** Returns those of the profiles that read nothing now in a folder that names them, each once. */
export async function findUnconfirmed({ pool }: Ledger, uses: readonly ProfileUse[]): Promise<Unconfirmed[]> {
  if (uses.length === 0) return [];
  const { rows } = await pool.query<Unconfirmed>(
    `SELECT DISTINCT wanted.name, CASE WHEN reading.name IS NOT NULL THEN wanted.sign END AS sign,
            (SELECT v.state FROM profile_version v WHERE v.name = wanted.name ORDER BY version DESC LIMIT 1) AS newest
     FROM unnest($1::text[], $2::integer[]) AS wanted (name, sign)
       LEFT JOIN (SELECT name, sample_cents FROM profile_version WHERE ${READS}) reading ON reading.name = wanted.name
     WHERE reading.name IS NULL OR sign(reading.sample_cents) <> wanted.sign
     ORDER BY wanted.name`,
    [uses.map(({ profile }) => profile), uses.map(signOf)],
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
 * Returns the number of the version that reads files of a folder now.
 * @throws PipelineError PROFILE_UNCONFIRMED
 */
export async function mustBeConfirmed(queryable: Queryable, use: ProfileUse): Promise<number> {
  const version = await findReading(queryable, use);
  if (version) return version.profile_no;
  const { profile } = use;
  const isForOther = (await findConfirmed(queryable, profile)) !== undefined;
  const action = `read a file with profile "${profile}"`;
  throw isForOther
    ? new PipelineError('PROFILE_UNCONFIRMED', action, `it was ${confirmedFor(signOf(use))}`, {
        next: 'Give the folder a profile of its own.',
      })
    : new PipelineError('PROFILE_UNCONFIRMED', action, 'it has no confirmed version', {
        next: `Run "paydrop profile confirm ${profile} --sample SAMPLE --reason …".`,
      });
}

/** Says what a version was confirmed for that may not read in folders of this sign. */
export function confirmedFor(sign: 1 | -1): string {
  return sign > 0 ? 'confirmed for refunds, not for charges' : 'confirmed for charges, not for refunds';
}
