import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Finds each link, image, script and style of the built site that leads to no file or no heading of it. */
export function findDeadLinks(folder: string, base: string): { page: string; link: string }[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'));
  const pages = new Map(
    files.filter((path) => path.endsWith('.html')).map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  );
  const ids = new Map([...pages].map(([path, html]) => [path, new Set(valuesOf(html, /\sid="([^"]+)"/g))]));
  const isThere = (page: string, link: string) => {
    const [path = '', anchor] = decodeURI(link).split('#');
    const target =
      path === '' ? page : fileOf(path.startsWith('/') ? path : posix.join('/', posix.dirname(page), path));
    if (target === undefined || !files.includes(target)) return false;
    return anchor === undefined || anchor === '' || ids.get(target)?.has(anchor) === true;
  };

  function fileOf(path: string): string | undefined {
    if (!path.startsWith(base)) return undefined;
    const rest = path.slice(base.length);
    if (rest === '' || rest.endsWith('/')) return `${rest}index.html`;
    return files.includes(rest) && /\.\w+$/.test(rest) ? rest : `${rest}.html`;
  }

  return [...pages].flatMap(([page, html]) =>
    [...new Set(valuesOf(html, /\s(?:href|src)="([^"]*)"/g))]
      .filter((link) => !/^(?:[a-z]+:|\/\/)/.test(link) && !isThere(page, link.replaceAll('&amp;', '&')))
      .map((link) => ({ page, link })),
  );
}

function valuesOf(html: string, pattern: RegExp): string[] {
  return [...html.matchAll(pattern)].map(([, value = '']) => value);
}
