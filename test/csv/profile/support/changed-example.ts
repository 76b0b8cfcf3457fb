import { expect, it } from 'vitest';
import type { ProfileFaultCode } from '../../../../schemas/profiles.ts';
import { parseProfile, type ProfileFault } from '../../../../src/csv/profile/parse-profile.ts';
import { EXAMPLE_PROFILES } from './example-profiles.ts';
import { PLACES } from './places.ts';

export type Example = keyof typeof EXAMPLE_PROFILES;

/** Replaces a part of an example, which must be there. */
export function changed(name: Example, part: string, by: string): string {
  const text: string = EXAMPLE_PROFILES[name];
  expect(text).toContain(part);
  return text.replace(part, () => by);
}

/** Returns the faults of a text, at the folder of an example if one is named. */
export function faultsOf(text: string, name?: Example): readonly ProfileFault[] {
  const parsed = parseProfile(text, name && PLACES[name]);
  return 'faults' in parsed ? parsed.faults : [];
}

/** A change of an example and the fault that it makes. */
export type Change = readonly [Example, part: string, by: string, message: string];

/** Tries each change at the folder of its example. */
export function finds(code: ProfileFaultCode, changes: readonly Change[]): void {
  it.each(changes)(`${code}: %s with %j changed to %j`, (name, part, by, message) => {
    expect(faultsOf(changed(name, part, by), name)).toContainEqual({ code, line: expect.any(Number), message });
  });
}
