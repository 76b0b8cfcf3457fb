import { ProfileName } from '../../schemas/profiles.ts';
import type { Settings } from '../config/config.ts';
import { parseProfile, profileDiff } from '../csv/profile/profile-text.ts';
import type { KnownProfile } from '../csv/suggest/questions.ts';
import { PipelineError } from '../kernel/errors.ts';
import { maskText } from '../kernel/mask.ts';
import type { Ledger } from '../ledger/engine/open-ledger.ts';
import type { ProfileRow } from '../ledger/engine/records.ts';
import { readVersions } from '../ledger/profile/read-profiles.ts';

/** A profile that the ledger has or a folder names. `confirmed` is the version that reads; null while none does. */
export type ProfileLine = {
  name: string;
  folders: string[];
  confirmed: number | null;
  newest: number | null;
  /** State of the newest version. */
  state: ProfileRow['state'] | 'missing';
  confirmedBy: string | null;
  confirmedAt: Date | null;
};

export async function listProfiles(ledger: Ledger, { folders }: Pick<Settings, 'folders'>): Promise<ProfileLine[]> {
  const versions = await readVersions(ledger);
  const names = new Set([...versions.map(({ name }) => name), ...folders.flatMap(({ profile }) => profile ?? [])]);
  return [...names].sort().map((name) => {
    const own = versions.filter((version) => version.name === name);
    const confirmed = own.find(({ state }) => state === 'confirmed');
    return {
      name,
      folders: folders.filter(({ profile }) => profile === name).map(({ id }) => id),
      confirmed: confirmed?.version ?? null,
      newest: own[0]?.version ?? null,
      state: own[0]?.state ?? 'missing',
      confirmedBy: confirmed?.confirmed_by ?? null,
      confirmedAt: confirmed?.confirmed_at ?? null,
    };
  });
}

/** Returns the versions that read files now, as far as this release reads them. */
export async function readKnownProfiles(ledger: Ledger): Promise<KnownProfile[]> {
  const versions = await readVersions(ledger);
  return versions
    .filter(({ state }) => state === 'confirmed')
    .flatMap(({ name, version, text }) => {
      const parsed = parseProfile(text);
      return 'profile' in parsed ? [{ name, version, profile: parsed.profile }] : [];
    });
}

/**
 * Returns the versions of a profile, newest first.
 * @throws PipelineError NOT_FOUND without any
 */
export async function readProfile(ledger: Ledger, name: string): Promise<[ProfileRow, ...ProfileRow[]]> {
  const [newest, ...older] = ProfileName.safeParse(name).success ? await readVersions(ledger, name) : [];
  if (newest) return [newest, ...older];
  throw new PipelineError('NOT_FOUND', `find profile "${maskText(name)}"`);
}

/**
 * Returns a version by its number; without one the confirmed version, or else the newest.
 * @throws PipelineError NOT_FOUND
 */
export function pickVersion(versions: readonly [ProfileRow, ...ProfileRow[]], wanted?: string): ProfileRow {
  if (wanted === undefined) return versions.find(({ state }) => state === 'confirmed') ?? versions[0];
  const found = versions.find(({ version }) => String(version) === wanted);
  if (found) return found;
  throw new PipelineError('NOT_FOUND', `find version "${maskText(wanted)}" of profile "${versions[0].name}"`);
}

/** What differs between two versions, a line each. */
export type VersionDiff = { name: string; from: number; to: number; changes: readonly string[] };

/**
 * Compares two versions; without their numbers, the confirmed one with the newest.
 * @throws PipelineError NOT_FOUND
 */
export async function diffVersions(ledger: Ledger, name: string, from?: string, to?: string): Promise<VersionDiff> {
  const versions = await readProfile(ledger, name);
  const before = pickVersion(versions, from);
  const after = to === undefined ? versions[0] : pickVersion(versions, to);
  const [one, other] = [parseProfile(before.text), parseProfile(after.text)];
  if ('faults' in one || 'faults' in other)
    throw new PipelineError(
      'PROFILE_INVALID',
      `compare two versions of profile "${name}"`,
      'this release reads one of them otherwise',
    );
  return { name, from: before.version, to: after.version, changes: profileDiff(one.profile, other.profile) };
}
