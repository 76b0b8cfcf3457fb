import { beforeEach, describe, expect, it } from 'vitest';
import { CARD } from '../../support/payment-rows.ts';
import { forceSql } from '../../support/force-sql.ts';
import { dashboardForTests, type TestBrowser } from '../support/dashboard-world.ts';
import { linksOf, wordsOf } from '../support/read-page.ts';

const world = dashboardForTests();
let viewer: TestBrowser;
beforeEach(async () => {
  await forceSql(world.app, 'DELETE FROM saved_view');
  viewer = await world.as('viewer');
});

/** Returns what the tabs of a page say and where they lead. */
async function tabsOf(browser: TestBrowser, path = '/files'): Promise<string[]> {
  const { text } = await browser.get(path);
  const tabs = text.split('aria-label="Views"')[1]!.split('</nav>')[0]!;
  const links = linksOf(tabs);
  return tabs
    .split('</li>')
    .slice(0, -1)
    .map((tab, index) => `${wordsOf(`<${tab.split('<li>')[1]}`)} -> ${links[index]}`);
}

const save = (browser: TestBrowser, form: Record<string, string>) => browser.post('/views', { page: 'files', ...form });

describe('a saved view', () => {
  it('is a tab for its person only, unless it is shared', async () => {
    const query = 'sort=amount&state=held';
    expect((await save(viewer, { name: 'Large and held', query })).location).toBe(`/files?${query}`);
    await save(viewer, { name: 'For all', query: 'state=rejected', shared: 'on' });
    const mine = [`For all -> /files?state=rejected`, `Large and held -> /files?${query}`];
    expect((await tabsOf(viewer)).slice(-2)).toEqual(mine);
    const other = await world.as('operator');
    expect((await tabsOf(other)).slice(-2)).toEqual([
      'Rejected 0 -> /files?state=rejected',
      'For all by viewer -> /files?state=rejected',
    ]);
    expect((await tabsOf(other, '/audit')).join()).not.toContain('For all');
  });

  it('keeps the filter and the order that the page has', async () => {
    const { text } = await viewer.get('/files?state=held&sort=amount&after=3&at=4&other=1');
    expect(/name="query" value="([^"]*)"/.exec(text)?.[1]).toBe('sort=amount&amp;state=held');
    await save(viewer, { name: 'mine', query: 'sort=amount&state=held' });
    expect((await viewer.get('/files?sort=amount&state=held')).text).toMatch(/aria-current="page">\s*mine/);
  });

  it('replaces one of the same name, and is removed by its person alone', async () => {
    await save(viewer, { name: 'mine', query: 'state=held', shared: 'on' });
    await save(viewer, { name: 'mine', query: 'state=completed', shared: 'on' });
    const { text } = await viewer.get('/files');
    const [, path = ''] = /action="(\/views\/\d+\/remove)"/.exec(text) ?? [];
    const other = await world.as('operator');
    expect((await other.get('/files')).text).not.toContain('/remove"');
    await other.post(path, { page: 'files' });
    expect((await tabsOf(viewer)).at(-1)).toBe('mine -> /files?state=completed');
    expect((await viewer.post(path, { page: 'files' })).location).toBe('/files');
    expect((await tabsOf(viewer)).at(-1)).toBe('Rejected 0 -> /files?state=rejected');
  });

  it('is text like any other, holds no card number, and leads nowhere else', async () => {
    await save(viewer, { name: `<b>${CARD}`, query: `name=${CARD}&//evil.example/=1&from=${'x'.repeat(300)}` });
    const { text } = await viewer.get('/files');
    expect(text).not.toContain(CARD);
    expect(text).toContain('&lt;b>');
    expect((await tabsOf(viewer)).at(-1)).toMatch(/ -> \/files\?name=\*+2220&%2F%2Fevil\.example%2F=1$/);
    expect((await viewer.get((await tabsOf(viewer)).at(-1)!.split(' -> ')[1]!)).status).toBe(200);
  });

  it.each([
    [{ name: '', query: '' }, 400],
    [{ name: 'x'.repeat(41), query: '' }, 400],
    [{ name: 'x', query: '', page: 'people' }, 404],
    [{ name: 'x', query: '', page: '__proto__' }, 404],
  ])('is refused: %j', async (form, status) => {
    expect((await save(viewer, form)).status).toBe(status);
  });

  it('is one of at most fifty', async () => {
    await forceSql(
      world.app,
      `INSERT INTO saved_view (person, page, name, query, is_shared, made_at)
       SELECT 'viewer', 'files', 'v' || n, '', false, now() FROM generate_series(1, 50) n`,
    );
    const { status, text } = await save(viewer, { name: 'one more', query: '' });
    expect([status, wordsOf(text)]).toEqual([400, expect.stringContaining('you have 50 views')]);
  });
});
