import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** A file of the project, with its path from the root and forward slashes. */
export type SourceFile = { readonly path: string; readonly text: string };

/** Reads every file of the project that git does not ignore, even from an archive without git. */
export function readTree(root: string): SourceFile[] {
  const isIgnored = readIgnoreRules(join(root, '.gitignore'));
  return listFiles(root, '', isIgnored).map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/**
 * Returns what a file imports, as written: `../kernel/money.ts`, `node:fs`, `pg`. Types count too, because a type ties
 * two folders together just as a function does.
 */
export function importsOf(file: SourceFile): string[] {
  const code = codeOf(file.text);
  const statements = /^\s*(?:import|export)\b[^;'"]*?\bfrom\s*['"]([^'"]+)['"]/gm;
  const bare = /^\s*import\s*['"]([^'"]+)['"]/gm;
  const calls = /\b(?:import|require|require\.resolve|import\.meta\.resolve)\(\s*['"]([^'"]+)['"]/g;
  return [statements, bare, calls].flatMap((pattern) => [...code.matchAll(pattern)].map((match) => match[1] ?? ''));
}

/** Returns the file that a relative import means, from the root; undefined for a package. */
export function targetOf(file: SourceFile, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.join(posix.dirname(file.path), specifier) : undefined;
}

/** Returns the text without its comments, roughly: enough to tell code from words about code. */
export function codeOf(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}

/** Returns the comments alone, just as roughly. */
export function commentsOf(text: string): string {
  return [...text.matchAll(/\/\*[\s\S]*?\*\/|(?:^|\s)(?:\/\/|--).*$/gm)].map(([comment]) => comment).join('\n');
}

/** Reads the rules of .gitignore as far as this project uses them: a name anywhere, or `/name` at the root only. */
function readIgnoreRules(path: string): (path: string) => boolean {
  const lines = readFileSync(path, 'utf8').split('\n');
  const rules = lines.map((line) => line.trim().replace(/\/$/, '')).filter((line) => line !== '');
  return (file) =>
    file === '.git' ||
    rules.some((rule) => (rule.startsWith('/') ? rule === `/${file}` : rule === posix.basename(file)));
}

function listFiles(root: string, folder: string, isIgnored: (path: string) => boolean): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (isIgnored(path)) return [];
    if (entry.isDirectory()) return listFiles(root, path, isIgnored);
    return entry.isFile() ? [path] : [];
  });
}
