import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tidyBoardPage } from '../../../src/web/queues/queue-board.ts';

/** Read the page from the package, so that changes in a new release show up here first. */
const require = createRequire(import.meta.url);
const ui = dirname(createRequire(require.resolve('@bull-board/api')).resolve('@bull-board/ui/package.json'));
const page = readFileSync(join(ui, 'dist/index.ejs'), 'utf8');

describe('tidyBoardPage', () => {
  const tidied = tidyBoardPage(page);

  it.each([
    ['nothing from another server', /(?:href|src)="https?:/],
    ['no style within the page', /<style|\sstyle=/],
    [
      'no script within the page but the settings, which are no script',
      /<script(?![^>]*src=)(?![^>]*application\/json)/,
    ],
    ['no handler within the page', /<[^>]+\son\w+=/],
  ])('leaves %s', (_, forbidden) => {
    expect(tidied).not.toMatch(forbidden);
  });

  it('had something to take out', () => {
    expect(page).toMatch(/href="https:/);
    expect(page).toMatch(/<style>/);
    expect(page).toMatch(/\sstyle="/);
  });

  it('keeps the scripts and styles of the board', () => {
    const filesOf = (html: string) => html.match(/(?:href|src)="static\/[^"]+"/g) ?? [];
    expect(filesOf(tidied)).toEqual(filesOf(page));
    expect(filesOf(tidied).length).toBeGreaterThan(2);
  });

  it('leads back to the dashboard', () => {
    expect(tidied).toContain('<a class="back-to-dashboard" href="/">← Back to the dashboard</a>');
    expect(tidied).toContain('href="/assets/queues.css"');
  });
});
