import { isDeepStrictEqual } from 'node:util';
import { columnsOf } from '../../../schemas/layouts.ts';
import { Profile, PROFILE_READER, type ProfileFaultCode, ProfileName } from '../../../schemas/profiles.ts';
import { readPlainYaml, writeYaml } from '../../config/plain-yaml.ts';
import { sha256Of } from '../../kernel/hash.ts';
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
  return { faults: sortedFaults(checked.faults, (path) => read.lineOf([...base, ...path])) };
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

function sortedFaults(faults: readonly FoundFault[], lineOf: (path: ProfilePath) => number): ProfileFault[] {
  return faults
    .map(({ code, path, message }) => ({ code, line: lineOf(path), message }))
    .toSorted((a, b) => a.line - b.line);
}

type Path = readonly (string | number)[];

/** Returns the normal form: YAML with the keys in the order of the schema, without defaults; equal profiles are equal. */
export function profileText(profile: Profile): string {
  const ordered = inOrder(profile);
  return writeYaml(withoutDefaults(ordered, ordered));
}

/** Returns the SHA-256 of a version, which also names how this release reads profiles. */
export function profileHash(profile: Profile): string {
  return sha256Of(`${PROFILE_READER}\n${profileText(profile)}`);
}

/** The schema puts its keys in order. Columns follow their layout; words mean the same in any order. */
function inOrder(profile: Profile): Profile {
  const { columns, ...rest } = Profile.parse(profile);
  const names = new Set([...columnsOf(rest.layout), ...Object.keys(columns)]);
  const rules = [...names].flatMap((name) => {
    const rule = Object.entries(columns).find(([column]) => column === name)?.[1];
    return rule ? [[name, { ...rule, ...(rule.words && { words: sorted(rule.words) }) }]] : [];
  });
  return Profile.parse({ ...rest, columns: Object.fromEntries(rules) });
}

function sorted(words: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(words).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Leaves out each key without which the profile is read the same. No word is such a key, and there may be many. */
function withoutDefaults(profile: Profile, value: unknown, path: Path = []): unknown {
  if (Array.isArray(value)) return value.map((item, index) => withoutDefaults(profile, item, [...path, index]));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => inner !== undefined && !isDefault(profile, [...path, key]))
      .map(([key, inner]) => [key, key === 'words' ? inner : withoutDefaults(profile, inner, [...path, key])]),
  );
}

function isDefault(profile: Profile, path: Path): boolean {
  const read = Profile.safeParse(without(profile, path));
  return read.success && isDeepStrictEqual(read.data, profile);
}

function without(value: unknown, [step, ...rest]: Path): unknown {
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? without(item, rest) : item));
  const entries = Object.entries(value ?? {});
  return Object.fromEntries(
    rest.length === 0
      ? entries.filter(([key]) => key !== step)
      : entries.map(([key, inner]) => [key, key === step ? without(inner, rest) : inner]),
  );
}

/**
 * Returns what differs between two profiles, a line each: `columns.amount.number.decimal: "." -> ","`. Items of lists
 * count from 1. In a list of texts each text that came or went has its line; if only the order differs, the list has.
 */
export function profileDiff(before: Profile, after: Profile): readonly string[] {
  return differences(inOrder(before), inOrder(after), '');
}

function differences(before: unknown, after: unknown, path: string): string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (isList(before) && isList(after) && [...before, ...after].every((item) => typeof item !== 'object')) {
    const lines = [
      ...before.filter((item) => !after.includes(item)).map((item) => `${path}: - ${shown(item)}`),
      ...after.filter((item) => !before.includes(item)).map((item) => `${path}: + ${shown(item)}`),
    ];
    return lines.length > 0 ? lines : [`${path}: ${shown(before)} -> ${shown(after)}`];
  }
  if (!isBranch(before) || !isBranch(after) || isList(before) !== isList(after))
    return [`${path}: ${shown(before)} -> ${shown(after)}`];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) => {
    const name = isList(before) ? String(Number(key) + 1) : key;
    return differences(Reflect.get(before, key), Reflect.get(after, key), path === '' ? name : `${path}.${name}`);
  });
}

function isBranch(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function shown(value: unknown): string {
  return value === undefined ? '(none)' : JSON.stringify(value);
}
