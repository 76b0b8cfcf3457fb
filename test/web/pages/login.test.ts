import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localPath } from '../../../src/web/pages/login.tsx';
import { type DashboardWorld, openDashboardWorld } from '../support/dashboard-world.ts';

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld();
});
afterAll(() => world.close());

describe('localPath', () => {
  it.each([
    ['/', '/'],
    ['/files?account=main', '/files?account=main'],
    ['', '/'],
    ['files', '/'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['/\tevil', '/'],
    ['https://evil.example', '/'],
    ['/login?next=/', '/'],
  ])('of %j is %j', (path, local) => {
    expect(localPath(path)).toBe(local);
  });
});

describe('/login', () => {
  it('leads on whoever is logged in already', async () => {
    const { status, location } = await (await world.as('viewer')).get('/login?next=/audit');
    expect([status, location]).toEqual([302, '/audit']);
  });

  it('keeps the name and forgets the password of a try that failed', async () => {
    const { text } = await world.stranger().post('/login', { name: 'Viewer<i>', password: 'hunter2 hunter2' }, '');
    expect(text).toContain('value="viewer&lt;i>"');
    expect(text).not.toContain('hunter2');
  });
});

describe('/logout', () => {
  it('ends the session on the server, so that the cookie is no use any more', async () => {
    const browser = await world.as('viewer');
    const { cookie } = browser;
    expect(await browser.post('/logout')).toMatchObject({ status: 303, location: '/login' });
    expect(browser.cookie).toBe('');
    browser.cookie = cookie;
    expect((await browser.get('/')).location).toBe('/login?next=%2F');
  });

  it('is no harm to somebody who is logged out', async () => {
    expect(await world.stranger().post('/logout', {}, '')).toMatchObject({ status: 303, location: '/login' });
  });
});
