import { posix } from 'node:path';
import { anchorOf, headingsOf, type SourceFile } from '../../test/support/source-tree.ts';

/** A page of the site, with its path from the root of the site. */
export type Page = { readonly path: string; readonly title: string; readonly text: string };
type Folder = { readonly text: string; readonly collapsed?: boolean; readonly items: readonly NavItem[] };
type NavItem = { readonly text: string; readonly link: string } | Folder;
type Section = { readonly anchor: string; readonly heading: string; readonly text: string };

/** A guide of more lines becomes a page for each of its tasks. */
const LONGEST_GUIDE_LINES = 300;

/** The folders of docs/ in the order of the navigation; one that is not listed comes last, under its own name. */
const FOLDERS: Readonly<Record<string, string>> = {
  incidents: 'When something is wrong',
  operations: 'Servers and upgrades',
  reference: 'Reference',
  decisions: 'Why it is so',
};

/**
 * Makes the pages of the site. Links between pages lead to the new places; other files are linked in the repository,
 * if its address is known, and are plain words otherwise.
 * @param isFile tells whether the repository has the file or folder
 */
export function makePages(
  sources: readonly SourceFile[],
  isFile: (path: string) => boolean,
  repository?: string,
): Page[] {
  const sections = new Map(sources.map((source) => [source.path, isLongGuide(source) ? sectionsOf(source.text) : []]));

  /** Returns the place of a link on the site, or undefined for what has no page. */
  function placeOf(from: string, link: string): string | undefined {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? from : posix.join(posix.dirname(from), path).replace(/\/$/, '');
    const source = sections.has(target) ? target : `${target}/README.md`;
    const parts = sections.get(source);
    if (parts === undefined) return undefined;
    const part = parts.find((one) => anchor !== undefined && headingsOf(one.text).includes(anchor));
    const page = part ? partPath(source, part) : pagePath(source);
    const rest = anchor === undefined || part?.anchor === anchor ? '' : `#${anchor}`;
    return `/${page}${rest}`;
  }

  function relink(from: string, text: string): string {
    return mapWords(text, (words) =>
      words.replace(/(!?)\[([^[\]]*)\]\(([^()\s]+)\)/g, (whole: string, image: string, label: string, link: string) => {
        if (/^[a-z]+:/.test(link)) return whole;
        const place = placeOf(from, link);
        if (place !== undefined) return `${image}[${label}](${place})`;
        const target = posix.join(posix.dirname(from), link.replace(/#.*$/, '')).replace(/\/$/, '');
        if (image !== '' || !isFile(target)) return `${image}[${label}](/${target})`;
        return repository === undefined ? label : `[${label}](${repository}/blob/main/${target})`;
      }),
    );
  }

  const made = sources.flatMap((source) => {
    const parts = sections.get(source.path) ?? [];
    const intro = parts.length === 0 ? source.text : source.text.slice(0, source.text.search(/^## /m));
    const list = parts.map((part) => `- [${part.heading}](/${partPath(source.path, part)})`).join('\n');
    const title = titleOf(source.text);
    const text = relink(source.path, intro) + (list === '' ? '' : `\n## Tasks\n\n${list}\n`);
    const pages = parts.map((part) => ({
      path: partPath(source.path, part),
      title: part.heading,
      text: relink(source.path, raiseHeadings(part.text)),
    }));
    return [{ path: pagePath(source.path), title, text }, ...pages];
  });
  const twice = made.find((page, index) => made.findIndex(({ path }) => path === page.path) < index);
  if (twice) throw new Error(`Two pages would be ${twice.path}: rename one.`);
  return made;
}

/** Makes the navigation from the folders: guides first, then the folders of docs/, then the pages about the code. */
export function makeNavigation(sources: readonly SourceFile[], pages: readonly Page[]): NavItem[] {
  const linkOf = (page: Page): NavItem => ({ text: page.title, link: `/${page.path}` });
  const entryOf = ({ path }: SourceFile): NavItem[] => {
    const place = pagePath(path);
    const tasks = pages.filter((page) => isLongGuidePart(page.path, place));
    const page = pages.find((one) => one.path === place);
    if (!page) return [];
    return tasks.length === 0
      ? [linkOf(page)]
      : [{ text: page.title, collapsed: true, items: [page, ...tasks].map(linkOf) }];
  };
  const entriesIn = (folder: string) =>
    sources.filter(({ path }) => posix.dirname(path) === folder).flatMap((source) => entryOf(source));
  const found = sources.map(({ path }) => /^docs\/([^/]+)\//.exec(path)?.[1] ?? '').filter((name) => name !== '');
  const folders = [...new Set([...Object.keys(FOLDERS).filter((name) => found.includes(name)), ...found])];
  const rest = sources.filter(({ path }) => !path.startsWith('docs/') && posix.dirname(path) !== '.');
  return [
    { text: 'Guides', items: [{ text: 'Start here', link: '/index' }, ...entriesIn('docs')] },
    ...folders.map((name) => ({
      text: FOLDERS[name] ?? name,
      collapsed: name === 'reference' || name === 'decisions',
      items: entriesIn(`docs/${name}`),
    })),
    { text: 'The project', collapsed: true, items: entriesIn('.').filter((item) => item.text !== 'paydrop') },
    { text: 'The code', collapsed: true, items: rest.flatMap((source) => entryOf(source)) },
  ];
}

function pagePath(source: string): string {
  const path = source.replace(/^docs\//, '').replace(/\.md$/, '');
  const place = path.replace(/(^|\/)README$/, '$1index');
  return place.replace(/^[A-Z_]+$/, (name) => `project/${name.toLowerCase().replaceAll('_', '-')}`);
}

function partPath(source: string, part: Section): string {
  return `${pagePath(source)}/${part.anchor}`;
}

function isLongGuide({ path, text }: SourceFile): boolean {
  return /^docs\/[^/]+\.md$/.test(path) && text.split('\n').length > LONGEST_GUIDE_LINES;
}

function isLongGuidePart(path: string, guide: string): boolean {
  return posix.dirname(path) === guide;
}

function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? '';
}

function sectionsOf(text: string): Section[] {
  const starts: number[] = [];
  mapWords(text, (words, at) => {
    for (const { index } of words.matchAll(/^## /gm)) starts.push(at + index);
    return words;
  });
  return starts.map((start, index) => {
    const part = text.slice(start, starts[index + 1]);
    const heading = /^## (.+)$/m.exec(part)?.[1] ?? '';
    return { anchor: anchorOf(heading), heading, text: part };
  });
}

function raiseHeadings(text: string): string {
  return mapWords(text, (words) => words.replace(/^#(#+) /gm, '$1 '));
}

/** Changes what is outside of fences, which show what is typed and printed. */
function mapWords(text: string, change: (words: string, at: number) => string): string {
  let at = 0;
  return text
    .split(/(^ *```[\s\S]*?^ *```$)/m)
    .map((piece, index) => {
      const changed = index % 2 === 0 ? change(piece, at) : piece;
      at += piece.length;
      return changed;
    })
    .join('');
}
