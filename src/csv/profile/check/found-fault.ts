import type { ProfileFaultCode } from '../../../../schemas/profiles.ts';
import { maskText } from '../../../kernel/mask.ts';

/** Keys and indexes that lead to a place of a profile. */
export type ProfilePath = readonly (string | number)[];

/** A fault of a profile, by its place. */
export type FoundFault = { readonly code: ProfileFaultCode; readonly path: ProfilePath; readonly message: string };

/** Returns a fault of the form of a profile, whose message begins with the place. */
export function keyFault(path: ProfilePath, reason: string): FoundFault {
  return fault('PROFILE_KEY', path, reason);
}

export function fault(code: ProfileFaultCode, path: ProfilePath, reason: string): FoundFault {
  return { code, path, message: `${shownPath(path)}: ${reason}` };
}

/** Writes a place for a person: `head.titles.3` is the third title. */
export function shownPath(path: ProfilePath): string {
  return path.map((step) => (typeof step === 'number' ? step + 1 : shown(step))).join('.') || 'the profile';
}

/** Quotes a title or word of a profile. */
export function quoted(text: string | number): string {
  return typeof text === 'number' ? String(text) : `"${shown(text)}"`;
}

/** Shows hidden characters by their number and no card number. */
function shown(text: string): string {
  const plain = hiddenShown(maskText(text.slice(0, 2 * LONGEST_SHOWN)));
  return plain.length > LONGEST_SHOWN ? `${plain.slice(0, LONGEST_SHOWN)}…` : plain;
}

const LONGEST_SHOWN = 60;

/** Characters that a person does not see: controls, zero widths, direction marks, halves of a character. */
const HIDDEN = /\p{Cc}|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}|\p{Default_Ignorable_Code_Point}/gu;

/** Shows each hidden character as `U+202E`. */
export function hiddenShown(text: string): string {
  return text.replace(HIDDEN, unicodeName);
}

/** Returns the hidden characters of a text as `U+202E`, each once. */
export function hiddenIn(text: string): readonly string[] {
  return [...new Set(Array.from(text.matchAll(HIDDEN), ([character]) => unicodeName(character)))];
}

function unicodeName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Lists alternatives: `a`, `a or b`, `a, b or c`. */
export function orList(words: readonly string[]): string {
  return words.join(', ').replace(/, (?=[^,]*$)/, ' or ');
}
