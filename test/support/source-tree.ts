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

/** Finds every relative link of a page that leads to no file, folder or heading. */
export function brokenLinks(files: readonly SourceFile[]): string[] {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const folders = new Set(files.flatMap(({ path }) => foldersOf(path)));
  return files
    .filter(({ path }) => path.endsWith('.md'))
    .flatMap(({ path, text }) =>
      linksOf(text)
        .filter((link) => !leadsSomewhere(path, link, texts, folders))
        .map((link) => `${path} links to ${link}, which is not there`),
    );
}

/** A file of ours as text names it: by its whole path, or by an end of it. */
const FILE_NAME = /(?<![\w./@-])(?:[a-z][\w-]*\/)*[a-z0-9][\w-]*(?:\.[a-z]+)*\.(?:tsx?|sql)\b/g;

/** The record of past runs, which names files as they were called then. */
const PAST = 'docs/reliability.md';

/** Finds every file that a page or a comment names and that does not exist. */
export function goneFiles(files: readonly SourceFile[]): string[] {
  const ends = new Set(files.flatMap(({ path }) => endsOf(path)));
  return files
    .filter(({ path }) => /\.(?:md|tsx?)$/.test(path) && path !== PAST)
    .flatMap(({ path, text }) =>
      [...wordsOf(path, text).matchAll(FILE_NAME)]
        .filter(([name]) => !ends.has(name))
        .map(([name]) => `${path} names ${name}, which is not there`),
    );
}

function wordsOf(path: string, text: string): string {
  return path.endsWith('.md') ? withoutFences(text) : commentsOf(text);
}

/** Returns the path and each shorter end of it, down to the name alone. */
function endsOf(path: string): string[] {
  const names = path.split('/');
  return names.map((_, index) => names.slice(index).join('/'));
}

/** Finds section numbers of documents that are not in this repository. */
export function foreignNumbers(files: readonly SourceFile[]): string[] {
  const number = /\bF\d{1,2}\b|\b(?:spec|specification|wire|lifecycle) (?:§ ?)?\d+(?:\.\d+)*\b/g;
  return files
    .filter(({ path }) => /\.(?:md|tsx?|sql)$/.test(path))
    .flatMap(({ path, text }) =>
      [...wordsOf(path, text).matchAll(number)].map(([name]) => `${path} cites ${name} of a document that is not here`),
    );
}

function foldersOf(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

/** Returns the links of a page to other files. What a console shows in a fence is no link. */
function linksOf(text: string): string[] {
  const links = [...withoutFences(text).matchAll(/\]\(([^()\s]+)\)/g)].map((match) => match[1] ?? '');
  return links.filter((link) => !/^[a-z]+:/.test(link));
}

function leadsSomewhere(
  from: string,
  link: string,
  texts: ReadonlyMap<string, string>,
  folders: ReadonlySet<string>,
): boolean {
  const [path = '', heading] = link.split('#');
  const target = path === '' ? from : posix.join(posix.dirname(from), path).replace(/\/$/, '');
  const text = texts.get(target);
  if (heading === undefined) return text !== undefined || folders.has(target);
  return text !== undefined && headingsOf(text).includes(heading);
}

/** Returns the anchors of all headings. */
export function headingsOf(text: string): string[] {
  return [...withoutFences(text).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => anchorOf(title));
}

/** Returns the anchor of a heading as GitHub makes it: lower case, hyphens for spaces, no punctuation. */
export function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

function withoutFences(text: string): string {
  return text.replace(/^( *)```[\s\S]*?^\1```/gm, '');
}
