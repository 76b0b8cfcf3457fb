import type { Profile } from '../../../schemas/profiles.ts';
import type { Folder, Settings } from '../../config/config.ts';
import { type ParsedProfile, parseProfile, profileDiff, type ProfileFault } from '../../csv/profile/profile-text.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { ProfileRow } from '../../ledger/engine/records.ts';

type ReadProfile = Extract<ParsedProfile, { profile: Profile }>;

type Places = Pick<Settings, 'accounts' | 'folders'>;

/** Returns the folders that a profile reads. */
export function foldersOf({ folders }: Pick<Settings, 'folders'>, name: string): readonly Folder[] {
  return folders.filter(({ profile }) => profile === name);
}

/** Checks a text for all of these folders; without any, the text alone. Each fault is returned once. */
export function findFaults(
  { accounts }: Pick<Settings, 'accounts'>,
  folders: readonly Folder[],
  text: string,
): readonly ProfileFault[] {
  const places = folders.flatMap(({ account: name, operation }) => {
    const account = accounts.get(name);
    return account ? [{ operation, account }] : [];
  });
  const found = (places.length === 0 ? [undefined] : places).flatMap((place) => {
    const parsed = parseProfile(text, place);
    return 'faults' in parsed ? parsed.faults : [];
  });
  return [...new Map(found.map((fault) => [faultText(fault), fault])).values()];
}

export function faultText({ code, line, message }: ProfileFault): string {
  return `line ${line}: ${message.replace(/\.$/, '')} (${code})`;
}

/**
 * Reads a text for the folders of a profile.
 * @returns the profile, with the name that the text gives it, if any
 * @throws PipelineError PROFILE_INVALID with all faults
 */
export function readText(settings: Places, name: string, text: string): ReadProfile {
  const faults = findFaults(settings, foldersOf(settings, name), text);
  const parsed = parseProfile(text);
  if ('profile' in parsed && faults.length === 0) return parsed;
  throw new PipelineError('PROFILE_INVALID', `use profile "${name}"`, faults.map(faultText).join('; '));
}

/** Returns what differs between two versions, a line each; nothing without an earlier one. */
export function changesOf(before: Pick<ProfileRow, 'text'> | undefined, after: Profile): readonly string[] {
  const parsed = before && parseProfile(before.text);
  return parsed && 'profile' in parsed ? profileDiff(parsed.profile, after) : [];
}
