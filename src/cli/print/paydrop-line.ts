import { basename } from 'node:path';

/**
 * Returns a line to paste that calls this program as it was started: by npm in a checkout, by its name if installed.
 * @param script the script that Node was started with
 */
export function paydropLine(words: readonly string[], script = process.argv[1] ?? 'paydrop'): string {
  return [programOf(script), ...words.map(quoteWord)].join(' ');
}

/** Returns such a line for a command in the folder of this call. */
export function lineHere({ dir }: { readonly dir: string }, ...words: readonly string[]): string {
  return paydropLine([...(dir === '.' ? [] : ['--dir', dir]), ...words]);
}

function programOf(script: string): string {
  if (script.endsWith('.ts')) return 'npm run paydrop --';
  return basename(script) === 'paydrop' ? 'paydrop' : `node ${quoteWord(script)}`;
}

/** Quotes a word for a POSIX shell. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
