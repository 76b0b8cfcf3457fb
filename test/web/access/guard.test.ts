import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DeskWorld, openDeskWorld, PASSWORD } from '../support/desk-world.ts';

let world: DeskWorld;
beforeAll(async () => {
  world = await openDeskWorld();
});
afterAll(() => world.close());

describe('guardRoutes', () => {
  it('sends a person to the log-in and from there to where he wanted to go', async () => {
    const browser = world.stranger();
    const { status, location } = await browser.get('/files?account=main');
    expect([status, location]).toEqual([302, '/login?next=%2Ffiles%3Faccount%3Dmain']);
    const form = { name: 'viewer', password: PASSWORD, next: '/files?account=main' };
    expect((await browser.post('/login', form, '')).location).toBe('/files?account=main');
  });

  it('answers a program without a log-in with 401 and no page', async () => {
    const { status, text } = await world.stranger().get('/', { accept: 'application/json' });
    expect([status, JSON.parse(text)]).toEqual([401, { error: { code: 'NOT_LOGGED_IN', says: 'Log in first.' } }]);
  });

  it.each(['//evil.example', '/\\evil.example', 'https://evil.example', '/login', 'javascript:alert(1)'])(
    'does not lead to %s after the log-in',
    async (next) => {
      const { location } = await world.stranger().post('/login', { name: 'viewer', password: PASSWORD, next }, '');
      expect(location).toBe('/');
    },
  );

  it('refuses what the role does not allow', async () => {
    const browser = await world.as('operator');
    expect((await browser.get('/people')).status).toBe(403);
    expect((await browser.post('/people', { name: 'eve', role: 'admin', reason: 'why not' })).status).toBe(403);
  });

  it('takes a form only with the token of this session', async () => {
    const [admin, other] = [await world.as('admin'), await world.as('admin')];
    const form = { name: 'strange', role: 'viewer', reason: 'to see' };
    for (const token of ['', 'x', await other.csrf()])
      expect((await admin.post('/people', form, token)).status).toBe(403);
    expect((await admin.get('/people')).text).not.toContain('strange');
  });

  it.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['no origin that can be read', { origin: 'null' }],
    ['a strange page', { 'sec-fetch-site': 'cross-site' }],
    ['a page of another host of the same site', { 'sec-fetch-site': 'same-site' }],
  ])('refuses a form from %s, whatever it brings along', async (_, headers) => {
    const browser = await world.as('admin');
    const body = new URLSearchParams({ name: 'eve', role: 'admin', reason: 'x', _csrf: await browser.csrf() });
    expect((await browser.send('/people', { method: 'POST', body, headers })).status).toBe(403);
  });

  it('answers to its own names only, so that no page can reach it by a name of its own', async () => {
    const { port } = new URL(world.url);
    const ask = async (host: string) => {
      const { request } = await import('node:http');
      return new Promise<number | undefined>((resolve, reject) => {
        const options = { port, host: '127.0.0.1', headers: { host } };
        request(options, (answer) => resolve(answer.resume().statusCode))
          .on('error', reject)
          .end();
      });
    };
    expect(await ask('evil.example')).toBe(421);
    expect(await ask(`evil.example:${port}`)).toBe(421);
    expect(await ask(`localhost:${port}`)).toBe(401);
    expect(await ask(`127.0.0.1:${port}`)).toBe(401);
  });

  it('sends the headers that keep browsers from harm', async () => {
    const { headers } = await (await world.as('viewer')).get('/');
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';script-src 'self';style-src 'self';/);
    expect(headers.get('content-security-policy')).not.toMatch(/unsafe/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('cache-control')).toBe('no-store');
  });
});
