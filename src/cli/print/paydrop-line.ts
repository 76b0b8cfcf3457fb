import { basename } from 'node:path';

/**
 * A line that a person can paste to call this program again, whatever way it was started: by npm in a checkout, by its
 * name where it is installed.
 * @param script the script that Node was started with
 */
export function paydropLine(words: readonly string[], script = process.argv[1] ?? 'paydrop'): string {
  return [programOf(script), ...words.map(quoteWord)].join(' ');
}

function programOf(script: string): string {
  if (script.endsWith('.ts')) return 'npm run paydrop --';
  return basename(script) === 'paydrop' ? 'paydrop' : `node ${quoteWord(script)}`;
}

/** As a POSIX shell wants it. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
