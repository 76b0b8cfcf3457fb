import { Profile, type ProfileFaultCode, ProfileName } from '../../../schemas/profiles.ts';
import { readPlainYaml } from '../../config/plain-yaml.ts';
import { type FoundFault, keyFault, type ProfilePath, quoted } from './check/found-fault.ts';
import { explainIssue } from './check/schema-faults.ts';
import { checkProfile, type ProfilePlace } from './check-profile.ts';

/** A fault of the text of a profile. `line` counts from 1. */
export type ProfileFault = { readonly code: ProfileFaultCode; readonly line: number; readonly message: string };

/** `name`: the one that the text gives its profile. */
export type ParsedProfile =
  | { readonly profile: Profile; readonly name?: string }
  | { readonly faults: readonly ProfileFault[] };

const LARGEST_BYTES = 65_536;

/**
 * Reads the text of one profile, or of `profiles:` with exactly one. It reports all faults of a stage at once: the
 * text, its keys and values, and what they mean together.
 * @param place where the profile shall read; left out, what only folder and account decide is not checked
 * @returns the profile, or its faults in order of their lines
 */
export function parseProfile(text: string, place?: ProfilePlace): ParsedProfile {
  if (Buffer.byteLength(text) > LARGEST_BYTES) return { faults: [textFault(1, 'the text is larger than 64 KiB')] };
  const read = readPlainYaml(text);
  if ('faults' in read) return { faults: read.faults.map(({ line, reason }) => textFault(line, reason)) };
  const found = findProfile(read.value);
  const checked = 'faults' in found ? found : checkValue(found.value, place);
  if ('profile' in checked) return { ...checked, ...('name' in found && { name: found.name }) };
  const base = 'name' in found ? ['profiles', found.name] : [];
  return { faults: inOrder(checked.faults, (path) => read.lineOf([...base, ...path])) };
}

function textFault(line: number, message: string): ProfileFault {
  return { code: 'PROFILE_KEY', line, message };
}

type Found = { readonly faults: readonly FoundFault[] } | { readonly value: unknown; readonly name?: string };

/** Takes the profile out of `profiles`. */
function findProfile(value: unknown): Found {
  if (typeof value !== 'object' || value === null || !('profiles' in value)) return { value };
  const { profiles, ...others } = value;
  const [other] = Object.keys(others);
  if (other !== undefined) return { faults: [keyFault([other], 'beside profiles there is no other key')] };
  const named =
    typeof profiles === 'object' && profiles !== null && !Array.isArray(profiles) ? Object.entries(profiles) : [];
  const [first] = named;
  if (!first || named.length > 1) return { faults: [keyFault(['profiles'], 'write exactly one profile, by its name')] };
  const [name, profile] = first;
  const isName = ProfileName.safeParse(name).success;
  const reason = `${quoted(name)} is not a name; use up to 40 lower-case letters, digits and hyphens`;
  return isName ? { value: profile, name } : { faults: [keyFault(['profiles'], reason)] };
}

function checkValue(
  value: unknown,
  place: ProfilePlace | undefined,
): { readonly profile: Profile } | { readonly faults: readonly FoundFault[] } {
  const parsed = Profile.safeParse(value);
  if (!parsed.success) return { faults: parsed.error.issues.flatMap((issue) => explainIssue(issue, value)) };
  const faults = checkProfile(parsed.data, place);
  return faults.length > 0 ? { faults } : { profile: parsed.data };
}

function inOrder(faults: readonly FoundFault[], lineOf: (path: ProfilePath) => number): ProfileFault[] {
  return faults
    .map(({ code, path, message }) => ({ code, line: lineOf(path), message }))
    .toSorted((a, b) => a.line - b.line);
}
