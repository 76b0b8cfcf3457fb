import { describe, expect, it } from 'vitest';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { dashboardForTests, type TestBrowser } from '../support/dashboard-world.ts';
import { tableOf, wordsOf } from '../support/read-page.ts';

const world = dashboardForTests();

/** Chooses an account and returns the address to which that leads. The session cookie stays. */
async function choose(browser: TestBrowser, account: string, referer?: string): Promise<string | undefined> {
  const session = browser.cookie.split('; ')[0]!;
  const body = new URLSearchParams({ account, _csrf: await browser.csrf() });
  const headers = { ...(referer !== undefined && { referer }) };
  const { location, headers: said } = await browser.send('/account', { method: 'POST', body, headers });
  browser.cookie = `${session}; ${said.getSetCookie()[0]!.split(';')[0]}`;
  return location;
}

describe('the account that a person chooses', () => {
  it('limits the lists until another is chosen, unless the address names one', async () => {
    await world.drop('card', 'june.csv', lines([cardRow(1)]));
    await world.finish();
    const browser = await world.as('viewer');
    await choose(browser, 'main');
    expect((await browser.get('/files')).text).toContain('Only account <strong>main</strong>');
    expect((await browser.get('/files?account=')).text).toContain('All accounts are shown.');
    expect((await browser.get('/audit')).text).toContain('All accounts are shown.');
    await choose(browser, '');
    expect((await browser.get('/files')).text).not.toContain('class="only"');
  });

  it('is ignored when there is no such account', async () => {
    const browser = await world.as('viewer');
    await choose(browser, 'gone');
    expect((await browser.get('/files')).text).not.toContain('class="only"');
  });

  it.each([
    ['/files?account=side&state=held', '/files?state=held'],
    ['/files?name=a%26b', '/files?name=a%26b'],
    ['//evil.example/x', '/'],
    ['/login?next=/x', '/'],
  ])('leads back from %s to %s', async (from, to) => {
    expect(await choose(await world.as('viewer'), 'main', world.url + from)).toBe(to);
  });

  it('leads to the first page when no page is named', async () => {
    expect(await choose(await world.as('viewer'), 'main')).toBe('/');
    expect(await choose(await world.as('viewer'), 'main', 'no address')).toBe('/');
  });
});

describe('the numbers beside the navigation', () => {
  it('stand on every page of a person, on those of an error too, and in no answer for a program', async () => {
    await world.drop('card', 'held.csv.ctl', 'rows=99\n');
    await world.drop('card', 'held.csv', lines([cardRow(7)]));
    await world.finish();
    const browser = await world.as('approver');
    for (const path of ['/', '/audit', '/nothing']) {
      expect([path, (await browser.get(path)).text.includes('wait for a decision')]).toEqual([path, true]);
    }
    const program = await world.program('approver', ['look']);
    expect((await program.ask('/files')).status).toBe(200);
  });
});

describe('/keyboard', () => {
  it('lists the keys of this page and of no subject that the role may not see', async () => {
    const { text } = await (await world.as('viewer')).get('/keyboard');
    const listed = tableOf(text).map(([keys]) => keys!);
    const installed = [...text.matchAll(/data-hotkey="(g \w)"/g)].map(([, keys]) => keys!);
    expect(installed.length).toBeGreaterThan(6);
    expect(listed.filter((keys) => keys.startsWith('g ')).toSorted()).toEqual(installed.toSorted());
    expect(new Set(installed).size).toBe(installed.length);
    expect(listed).not.toContain('g u');
    const admin = await (await world.as('admin')).get('/keyboard');
    expect(wordsOf(admin.text)).toContain('g u Users');
  });

  it('hides the switch from those without a script', async () => {
    expect((await (await world.as('viewer')).get('/keyboard')).text).toMatch(/<label [^>]*hidden>/);
  });
});
