import { SHORTEST_PASSWORD } from '../../crypto/password.ts';

/** Longest password that is hashed; hashing longer ones would only keep the server busy. */
const LONGEST = 256;

/** Returns the fault of a new password; undefined when it is fine. No digit or symbol rules: they make bad ones. */
export function findPasswordFault(
  password: string,
  { name, repeated }: { name: string; repeated: string },
): string | undefined {
  if (password.length < SHORTEST_PASSWORD) return `Use at least ${SHORTEST_PASSWORD} characters.`;
  if (password.length > LONGEST) return `Use at most ${LONGEST} characters.`;
  if (new Set(password).size < 5) return 'Use more than four different characters.';
  if (name !== '' && password.toLowerCase().replaceAll(/[^a-z]/g, '') === name.replaceAll(/[^a-z]/g, ''))
    return 'Do not use your name.';
  if (password !== repeated) return 'The two are not the same.';
  return undefined;
}
