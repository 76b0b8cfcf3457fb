import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';

const PAGES = new URL('../../../site/pages/', import.meta.url);

export default defineConfig({
  title: 'paydrop',
  description: 'Drop a file of card or bank payments, and get it back reconciled.',
  lang: 'en-US',
  srcDir: '../../site/pages',
  outDir: '../../site/html',
  cacheDir: '../../site/cache',
  cleanUrls: true,
  ignoreDeadLinks: 'localhostLinks',
  markdown: { anchor: { slugify: anchorOf }, config: keepWordsAsTheyAre },
  themeConfig: {
    sidebar: JSON.parse(readFileSync(new URL('navigation.json', PAGES), 'utf8')),
    search: { provider: 'local' },
    outline: [2, 3],
    docFooter: { prev: false, next: false },
  },
});

/** The anchor of a heading as GitHub makes it, so that links hold in both places (`anchorOf` of test/support/source-tree.ts). */
function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** Nothing that a page says in braces is a program. */
function keepWordsAsTheyAre(md) {
  const text = md.renderer.rules.text;
  md.renderer.rules.text = (...args) => text(...args).replaceAll('{{', '<span v-pre>{{</span>');
}
