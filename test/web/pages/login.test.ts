import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listPeople } from '../../../src/ledger/person/people.ts';
import { openDashboard } from '../../../src/web/open-dashboard.tsx';
import { findFreePort } from '../../support/daemon.ts';
import { CLIENT, startProvider, type TestProvider } from '../support/openid-provider.ts';
import { dashboardForTests, openBrowser, type TestBrowser } from '../support/dashboard-world.ts';
import { localPath } from '../../../src/web/pages/login.tsx';
import { offerSetUp } from '../../../src/ledger/person/invite-person.ts';
import { newLink } from '../../../src/actions/new-link.ts';

const world = dashboardForTests();
let provider: TestProvider;
let dashboard: { url: string; close(): Promise<void> };
let admin: TestBrowser;
beforeAll(async () => {
  const listen = { host: '127.0.0.1', port: await findFreePort() };
  provider = await startProvider(`http://127.0.0.1:${listen.port}/login/openid/callback`);
  const openid = { issuer: provider.issuer, ...CLIENT, label: 'Example' };
  dashboard = await openDashboard(world.app, { ...world.settings.dashboard!, listen, openid });
  admin = await world.as('admin');
});
afterAll(async () => {
  await dashboard.close();
  await provider.close();
  await world.close();
});

/** Follows a link through the provider and back, as a browser does. @returns where it ends */
async function travel(path: string, person: string, changeReturn = (url: URL) => url) {
  provider.person = person;
  const jar = new Map<string, Map<string, string>>();
  let url = new URL(path, dashboard.url);
  for (let steps = 0; steps < 12; steps += 1) {
    const cookies = jar.get(url.origin) ?? new Map<string, string>();
    jar.set(url.origin, cookies);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie, accept: 'text/html' } });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const location = answer.headers.get('location');
    const ours = [...(jar.get(dashboard.url) ?? [])].find(([name]) => /^paydrop-\d+$/.test(name));
    if (location === null || (answer.status === 302 && url.pathname.endsWith('/callback')))
      return { status: answer.status, location, text: await answer.text(), cookie: ours?.[1] ? ours.join('=') : '' };
    url = new URL(location, url);
    if (url.pathname.endsWith('/callback')) url = changeReturn(url);
  }
  throw new Error('it goes round in circles');
}

async function invite(name: string): Promise<string> {
  const { text } = await admin.post('/people', { name, role: 'operator', reason: 'logs in elsewhere' });
  return /set-up\/([\w-]{43})/.exec(text)?.[1] ?? '';
}

/** The tests build on each other. */
describe('/login/openid', () => {
  it('is offered on the log-in page and to an invited user', async () => {
    const page = await openBrowser(dashboard.url).get('/login');
    expect(page.text).toContain('Log in with Example');
    expect((await openBrowser(dashboard.url).get(`/set-up/${await invite('zoe')}`)).text).toContain(
      '/login/openid?link=',
    );
  });

  it('opens nothing for a person who is known there and not here', async () => {
    const { status, text, cookie } = await travel('/login/openid', 'stranger');
    expect([status, cookie]).toEqual([400, '']);
    expect(text).toContain('Ask an administrator of the dashboard for a link');
  });

  it('ties a user to their account there by a link, once, and lets them in from then on', async () => {
    const link = await invite('bob');
    const first = await travel(`/login/openid?link=${link}`, 'subject-of-bob');
    expect(first).toMatchObject({ status: 302, location: '/queue', cookie: expect.stringMatching(/^paydrop-\d+=/) });
    const again = await travel('/login/openid?next=/audit', 'subject-of-bob');
    expect(again).toMatchObject({ status: 302, location: '/audit' });
    const browser = openBrowser(dashboard.url);
    browser.cookie = again.cookie;
    expect((await browser.get('/me')).text).toContain('bob');
    expect((await travel(`/login/openid?link=${link}`, 'subject-of-eve')).status).toBe(400);
    const { rows } = await world.app.ledger.pool.query(`SELECT subject FROM person WHERE name = 'bob'`);
    expect(rows).toEqual([{ subject: `${provider.issuer} subject-of-bob` }]);
  });

  it('lets nobody be two persons here', async () => {
    const { status, cookie } = await travel(`/login/openid?link=${await invite('cid')}`, 'subject-of-bob');
    expect([status, cookie]).toEqual([400, '']);
    expect((await listPeople(world.app.ledger)).find(({ name }) => name === 'cid')?.subject).toBeNull();
  });

  it.each([
    ['a state of another', (url: URL) => (url.searchParams.set('state', 'x'), url)],
    ['a code of another', (url: URL) => (url.searchParams.set('code', 'x'), url)],
    ['no code', (url: URL) => (url.searchParams.delete('code'), url)],
    ['a refusal', (url: URL) => ((url.search = `?error=access_denied&state=${url.searchParams.get('state')}`), url)],
  ])('does not let in who comes back with %s', async (_, change) => {
    const { status, cookie, text } = await travel('/login/openid', 'subject-of-bob', change);
    expect([status, cookie]).toEqual([400, '']);
    expect(text).toContain('Try again from the log-in page.');
  });

  it('lets a log-in go on after one in another tab came back', async () => {
    const browser = openBrowser(dashboard.url);
    await browser.get('/login/openid?next=/files');
    const early = await browser.get('/login/openid/callback?code=x&state=of-the-other-tab');
    expect([early.status, early.text]).toEqual([400, expect.stringContaining('has since begun another log-in')]);
    expect(early.text).toContain('href="/login?next=');
    expect(early.headers.getSetCookie()).toEqual([]);
  });

  it('shows a user without a password how they log in, and no form for another password', async () => {
    const browser = openBrowser(dashboard.url);
    browser.cookie = (await travel('/login/openid', 'subject-of-bob')).cookie;
    const { text } = await browser.get('/me');
    expect(text).toContain('with Example; you have no password here');
    expect(text).not.toMatch(/Change your password|second-factor/);
    expect((await admin.get('/me')).text).toMatch(/Change your password/);
  });

  it('does not let in whose browser did not set out from here', async () => {
    const { status, text } = await openBrowser(dashboard.url).get('/login/openid/callback?code=x&state=y');
    expect([status, text]).toEqual([400, expect.stringContaining('did not start this log-in')]);
  });

  it('is not there when it is not configured', async () => {
    expect((await world.stranger().get('/login/openid')).status).toBe(404);
    expect((await world.stranger().get('/login')).text).not.toContain('openid');
  });
});

async function openWith(issuer: string) {
  const listen = { host: '127.0.0.1', port: await findFreePort() };
  const openid = { issuer, ...CLIENT, label: 'Example' };
  return openDashboard(world.app, { ...world.settings.dashboard!, listen, openid });
}

describe('sendToProvider', () => {
  it('asks for a code that only this browser and this server can use', async () => {
    const provider = await startProvider('http://127.0.0.1:9/login/openid/callback');
    const dashboard = await openWith(provider.issuer);
    const { status, location, headers } = await openBrowser(dashboard.url).get('/login/openid?next=//evil.example');
    const asked = new URL(location ?? '');
    expect([status, asked.origin]).toEqual([302, provider.issuer]);
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      client_id: 'paydrop',
      response_type: 'code',
      scope: 'openid',
      code_challenge_method: 'S256',
      redirect_uri: `${dashboard.url}/login/openid/callback`,
      state: expect.stringMatching(/^[\w-]{40,}$/),
      nonce: expect.stringMatching(/^[\w-]{40,}$/),
    });
    const [cookie = ''] = headers.getSetCookie();
    expect(cookie).toMatch(/^paydrop-openid-\d+=[\w-]+; Max-Age=600; Path=\/login\/openid; HttpOnly; SameSite=Lax$/);
    const kept = JSON.parse(Buffer.from(cookie.split(/[=;]/)[1]!, 'base64url').toString()) as Record<string, string>;
    expect(kept['next']).toBe('/');
    expect(location).not.toContain(kept['verifier']);
    await dashboard.close();
    await provider.close();
  });

  it('says so when the provider is away, and asks it again when it is back', async () => {
    const port = await findFreePort();
    const dashboard = await openWith(`http://127.0.0.1:${port}`);
    const { status, text } = await openBrowser(dashboard.url).get('/login/openid');
    expect([status, text]).toEqual([400, expect.stringContaining('the provider does not answer')]);
    const provider = await startProvider(`${dashboard.url}/login/openid/callback`, port);
    expect((await openBrowser(dashboard.url).get('/login/openid')).status).toBe(302);
    await dashboard.close();
    await provider.close();
  });
});

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
  it('leads a user on who is logged in already', async () => {
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

  it('leaves a user who was here, so the list of users does not call them never seen', async () => {
    const { text } = await admin.get('/people');
    expect(text).toMatch(/>viewer<.*?>active<.*?>not logged in</s);
  });

  it('is no harm to a user who is logged out', async () => {
    expect(await world.stranger().post('/logout', {}, '')).toMatchObject({ status: 303, location: '/login' });
  });
});

describe('a dashboard without people', () => {
  const world = dashboardForTests({ people: 'nobody' });
  let path: string;
  beforeAll(async () => {
    const { token, link } = newLink(world.app.clock.now());
    await offerSetUp(world.app.ledger, link, { actor: 'operator:test', reason: 'first start' });
    path = `/set-up/${token}`;
  });

  const GOOD = { name: 'ann', password: 'four words nobody guesses', repeated: 'four words nobody guesses' };

  /** The tests build on each other. */
  describe('/set-up/:token', () => {
    it('is told of on the log-in page while there is nobody', async () => {
      expect((await world.stranger().get('/login')).text).toContain('There are no users yet');
    });

    it('may be opened by a mail program without harm', async () => {
      for (let times = 0; times < 3; times += 1)
        expect(await world.stranger().get(path)).toMatchObject({
          status: 200,
          text: expect.stringContaining('Set up the dashboard'),
        });
    });

    it.each([
      ['a name that cannot be one', { ...GOOD, name: 'Ann Byron' }, 'Use lowercase letters'],
      ['a short password', { ...GOOD, password: 'short', repeated: 'short' }, 'Use at least 12 characters.'],
      ['two passwords', { ...GOOD, repeated: 'four words nobody guessed' }, 'The two passwords differ.'],
    ])('says what is wrong with %s, and uses nothing up', async (_, form, says) => {
      const { status, text } = await world.stranger().post(path, form, '');
      expect([status, text]).toEqual([400, expect.stringContaining(says)]);
      expect(text).not.toContain('four words');
      expect(await listPeople(world.app.ledger)).toEqual([]);
    });

    it('makes the first administrator and logs them in; then it works no more', async () => {
      const ann = world.stranger();
      expect(await ann.post(path, GOOD, '')).toMatchObject({ status: 303, location: '/' });
      expect((await ann.get('/people')).status).toBe(200);
      expect((await world.stranger().get(path)).status).toBe(404);
      expect((await world.stranger().post(path, { ...GOOD, name: 'eve' }, '')).status).toBe(404);
      expect(await listPeople(world.app.ledger)).toMatchObject([{ name: 'ann', role: 'admin' }]);
    });

    it('leads nowhere with another word', async () => {
      const { status, text } = await world.stranger().get(`/set-up/${'A'.repeat(43)}`);
      expect([status, text]).toEqual([404, expect.stringContaining('This link was already used, has expired')]);
    });
  });
});
