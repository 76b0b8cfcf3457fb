import { posix } from 'node:path';
import { commentsOf, type SourceFile } from './source-tree.ts';

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

/** Returns the anchors of headings as GitHub makes them: lower case, hyphens for spaces, no punctuation. */
function headingsOf(text: string): string[] {
  return [...withoutFences(text).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function withoutFences(text: string): string {
  return text.replace(/^( *)```[\s\S]*?^\1```/gm, '');
}
