/** `npm run site`: makes `site/html`, the pages of this repository for a browser, and fails on a link that leads nowhere. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readTree } from '../../test/support/source-tree.ts';
import { findDeadLinks } from './dead-links.ts';
import { makeNavigation, makePages } from './pages.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TOOLS = join(ROOT, 'scripts/site');
const PAGES = join(ROOT, 'site/pages');
const HTML = join(ROOT, 'site/html');
/** Where the site is put below its host, such as `/paydrop/`, and the address of the repository, if it has one. */
const base = process.env.SITE_BASE ?? '/';
const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = process.env;

if (!existsSync(join(TOOLS, 'node_modules/vitepress'))) run('npm', ['ci', '--no-audit', '--no-fund']);

const sources = readTree(ROOT)
  .filter(({ path }) => path.endsWith('.md') && !path.startsWith('.github/'))
  .toSorted((one, other) => one.path.localeCompare(other.path, 'en'));
const pages = makePages(sources, (path) => existsSync(join(ROOT, path)), server && name && `${server}/${name}`);

rmSync(join(ROOT, 'site'), { recursive: true, force: true });
for (const { path, text } of pages) write(`${path}.md`, path === 'index' ? showRecording(text) : text);
write('navigation.json', JSON.stringify(makeNavigation(sources, pages)));
for (const image of new Set(pages.flatMap(({ text }) => imagesOf(text)))) {
  cpSync(join(ROOT, image), join(PAGES, 'public', image));
}
cpSync(join(ROOT, 'docs/recording'), join(PAGES, 'public/docs/recording'), { recursive: true });
// The pages import Vue, which is found from where they are.
symlinkSync(join(TOOLS, 'node_modules'), join(ROOT, 'site/node_modules'), 'junction');
run('npx', ['vitepress', 'build', '--base', base]);

const dead = findDeadLinks(HTML, base);
for (const { page, link } of dead) console.error(`${page} links to ${link}, which is not there`);
console.log(`${pages.length} pages in site/html, ${dead.length} dead links`);
process.exitCode = dead.length === 0 ? 0 : 1;

function write(path: string, text: string): void {
  mkdirSync(dirname(join(PAGES, path)), { recursive: true });
  writeFileSync(join(PAGES, path), text);
}

/** Puts the recording below the first paragraphs of the start page. */
function showRecording(text: string): string {
  return text.replace(/^## /m, '<Recording cast="/docs/recording/first-day.cast" />\n\n## ');
}

function run(command: string, args: string[]): void {
  execFileSync(command, args, { cwd: TOOLS, stdio: 'inherit' });
}

function imagesOf(text: string): string[] {
  return [...text.matchAll(/!\[[^\]]*\]\(\/([^()\s]+)\)/g)].map(([, path = '']) => path);
}
