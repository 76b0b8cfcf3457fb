import { SHORTEST_PASSWORD } from '../../crypto/password.ts';

/** Longest that is hashed; who sends more wants to keep the server busy. */
const LONGEST = 256;

/** What is wrong with a new password; undefined when it will do. No rules of digits and signs: they make bad ones. */
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
