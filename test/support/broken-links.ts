import { posix } from 'node:path';
import type { SourceFile } from './source-tree.ts';

/** Every relative link of a page that leads to no file, no folder, or no heading of the page that it names. */
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

function foldersOf(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

/** What a console shows in a fence is no link. */
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

/** As GitHub names them: small letters, hyphens for spaces, nothing else but digits and letters. */
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
