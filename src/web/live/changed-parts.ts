import { createHash } from 'node:crypto';

/** What an open page gets instead of itself: the parts that are not as it has them. */
export type ChangedParts = {
  /** With the entities of HTML. */
  readonly title: string;
  /** Address of the icon. */
  readonly icon: string;
  readonly parts: readonly { readonly name: string; readonly hash: string; readonly html: string }[];
};

/**
 * Cuts the parts that changed out of a page.
 * @param html as this dashboard writes it: each tag is closed, and texts hold no tags
 * @param known what the page has, as `name=hash,name=hash`; empty when it has nothing yet
 */
export function changedParts(html: string, known: string): ChangedParts {
  const hashes = new Map(known.split(',').map((part) => [part.split('=')[0], part.split('=')[1]]));
  const parts = [...html.matchAll(PART)].flatMap(({ 0: start, 1: tag, 2: name, index }) => {
    const content = contentOf(html, tag!, index + start.length);
    const hash = hashOf(content);
    return hashes.get(name) === hash ? [] : [{ name: name!, hash, html: content }];
  });
  return {
    title: /<title>([^<]*)/.exec(html)?.[1] ?? '',
    icon: /<link rel="icon" href="([^"]*)/.exec(html)?.[1] ?? '',
    parts,
  };
}

const PART = /<(\w+)\b[^>]* data-part="([\w-]+)"[^>]*>/g;

function contentOf(html: string, tag: string, from: number): string {
  const tags = new RegExp(`<(/?)${tag}\\b`, 'g');
  tags.lastIndex = from;
  let depth = 1;
  for (let found = tags.exec(html); found; found = tags.exec(html)) {
    depth += found[1] ? -1 : 1;
    if (depth === 0) return html.slice(from, found.index);
  }
  return html.slice(from);
}

/** The tokens of forms are masked anew in each page, and are no change. */
function hashOf(content: string): string {
  const lasting = content.replace(/ name="_csrf" value="[^"]*"/g, '');
  return createHash('sha256').update(lasting).digest('hex').slice(0, 12);
}
