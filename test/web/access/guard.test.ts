import { beforeAll, describe, expect, it } from 'vitest';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { findFile } from '../../../src/ledger/file/search.ts';
import { askApi, dashboardForTests, PASSWORD, type TestBrowser, type TestProgram } from '../support/dashboard-world.ts';
import { sendFile } from '../support/send-file.ts';
import { request } from 'node:http';
import { newSecretToken } from '../../../src/crypto/secret-token.ts';
import { type ActionName, ACTIONS, mayDo, PERSON_ROLES, type PersonRole } from '../../../schemas/actions.ts';
import { actorOf, viewerMay } from '../../../src/web/access/viewer.ts';
import { openDashboard } from '../../../src/web/open-dashboard.tsx';
import { viewerOf } from '../../../src/web/web-context.ts';

const world = dashboardForTests();
let operator: TestBrowser;
let viewer: Promise<TestBrowser>;
let program: Promise<TestProgram>;
beforeAll(async () => {
  operator = await world.as('operator');
  viewer = world.as('viewer');
  program = world.program('operator', ['look', 'pause']);
});

async function refusals() {
  const { rows } = await world.app.ledger.pool.query(
    `SELECT actor, reason, evidence FROM audit WHERE move = 'access-refused' ORDER BY seq`,
  );
  return rows;
}

/** The tests build on each other. */
describe('noteRefusals', () => {
  it('records what a user may not do, once a minute however often they try', async () => {
    for (let tries = 0; tries < 3; tries += 1) expect((await operator.get('/people?who=4111')).status).toBe(403);
    await operator.post('/people', { name: 'eve', role: 'admin', reason: 'why not' });
    const refused = { actor: 'operator:operator', reason: 'NOT_ALLOWED' };
    expect(await refusals()).toEqual([
      { ...refused, evidence: { method: 'GET', route: '/people', from: '127.0.0.1' } },
      { ...refused, evidence: { method: 'POST', route: '/people', from: '127.0.0.1' } },
    ]);
  });

  it('records what a program may not do, and a form without the token of the session', async () => {
    const program = await world.program('operator', ['look']);
    expect(await program.ask('/accounts/main/pause', { reason: 'x' })).toMatchObject({
      status: 403,
      json: { error: { says: expect.stringContaining('This token lacks the permission "Pause".') } },
    });
    expect((await operator.post('/me/password', {}, 'not the token')).status).toBe(403);
    expect((await refusals()).slice(2)).toMatchObject([
      { actor: 'operator:operator', reason: 'NOT_ALLOWED', evidence: { route: expect.stringContaining('/api/v1/') } },
      { actor: 'operator:operator', reason: 'STRANGE_FORM', evidence: { route: '/me/password' } },
    ]);
  });

  it('records who tries to approve their own file, and no stranger', async () => {
    const admin = await world.as('admin');
    const content = lines([cardRow(1), cardRow(1)]);
    await sendFile(admin, 'submit', { name: 'own.csv', content });
    await world.finish();
    const { file_id: fileId } = await findFile(world.app.ledger, 'own.csv');
    const { text } = await admin.get(`/files/${fileId}/do/approve`);
    const [, bind = ''] = /name="bind" value="(\w+)"/.exec(text) ?? [];
    const { status } = await admin.post(`/files/${fileId}/do/approve`, { bind, reason: 'mine' });
    expect(status).toBe(403);
    await world.stranger().get('/people', { accept: 'application/json' });
    expect((await refusals()).slice(4)).toMatchObject([
      { actor: 'operator:admin', reason: 'SECOND_PERSON', evidence: { method: 'GET' } },
      { actor: 'operator:admin', reason: 'SECOND_PERSON', evidence: { method: 'POST' } },
    ]);
  });
});

/** Asks for the first page under this Host header. */
function askAs(host: string): Promise<number | undefined> {
  const { port } = new URL(world.url);
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', headers: { host } };
    request(options, (answer) => resolve(answer.resume().statusCode))
      .on('error', reject)
      .end();
  });
}

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
    expect([status, JSON.parse(text)]).toEqual([
      401,
      { error: { code: 'NOT_LOGGED_IN', says: 'Log in first. Nothing was done.' } },
    ]);
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
    expect(await askAs('evil.example')).toBe(421);
    expect(await askAs(`evil.example:${port}`)).toBe(421);
    expect(await askAs(`localhost:${port}`)).toBe(401);
    expect(await askAs(`127.0.0.1:${port}`)).toBe(401);
  });

  it.each(['cafe', 'dead', 'face:8420', '1.2', '999.1.1.1', '0x7f.1', '[cafe]', '127.0.0.1.evil.example'])(
    'takes the host "%s" for a name, not for an address',
    async (host) => expect(await askAs(host)).toBe(421),
  );

  it.each(['10.1.2.3', '10.1.2.3:8420', '[2001:db8::1]', '[fe80::1]:8420'])('answers to the address %s', async (host) =>
    expect(await askAs(host)).toBe(401),
  );

  it.each([
    '/search?q=%00',
    '/files?name=%00',
    '/files?na%00me=x',
    '/audit?who=%00',
    '/audit?file=a%00b',
    '/files/x?tab=payments&invoice=%00',
    '/files/%00',
    '/login?next=/%00',
    '/nowhere?x=%00',
    '/search?q=%ed%a0%80',
    '/search?q=%ff',
    '/search?q=100%',
  ])('answers %s with 400, to a user and to a stranger', async (path) => {
    expect((await (await viewer).get(path)).status).toBe(400);
    expect((await world.stranger().get(path)).status).toBe(400);
  });

  it.each(['/search?q=%00', '/files?name=%00'])('answers the API at %s with 400', async (path) => {
    const { status, json } = await (await program).ask(path);
    expect([status, json.error.code]).toEqual([400, 'BAD_REQUEST']);
  });

  it.each([
    ['a NUL', '{"reason":"a\\u0000b"}'],
    ['half a character', '{"reason":"\\ud800"}'],
    ['a NUL in a name', '{"a\\u0000":1}'],
    ['a NUL deep inside', `${'['.repeat(100_000)}"\\u0000"${']'.repeat(100_000)}`],
  ])('answers a body with %s with 400', async (_, body) => {
    const { token } = await program;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const path = '/api/v1/accounts/main/actions/pause';
    const { status, text } = await world.stranger().send(path, { method: 'POST', headers, body });
    expect([status, JSON.parse(text).error.says]).toEqual([
      400,
      expect.stringContaining('characters that no text has'),
    ]);
  });

  it('answers a form with a NUL with 400, and does nothing', async () => {
    const browser = await world.as('admin');
    expect((await browser.post('/people', { name: 'nul', role: 'viewer', reason: 'a\0b' })).status).toBe(400);
    expect((await browser.get('/people')).text).not.toContain('>nul<');
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

describe('guardRoutes, for programs', () => {
  it.each(['/', '/me', '/%6d%65', '/api/../me', '/people', '/queue', '/api', '/login'])(
    'knows no token at %s',
    async (path) => {
      const { token } = await world.program('admin', ['look', 'people']);
      const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
      const [withToken, without] = [
        await world.stranger().get(path, headers),
        await world.stranger().get(path, { accept: 'application/json' }),
      ];
      expect([withToken.status, withToken.text]).toEqual([without.status, without.text]);
    },
  );

  it('knows a token by the route that answers, however the address is written', async () => {
    const { token } = await world.program('viewer', ['look']);
    const headers = { authorization: `Bearer ${token}` };
    expect((await world.stranger().get('/%61pi/v1/overview', headers)).status).toBe(200);
  });

  it('lets no token make another, or end a session', async () => {
    const { token } = await world.program('admin', ['look']);
    const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
    for (const path of ['/me/tokens', '/me/password', '/people'])
      expect((await world.stranger().send(path, { method: 'POST', headers })).status).toBe(401);
  });

  it('takes the log-in of a person at the API too', async () => {
    const browser = await world.as('viewer');
    expect((await browser.get('/api/v1/overview')).status).toBe(200);
    expect((await world.stranger().get('/api/v1/overview')).status).toBe(401);
  });

  it('goes by the token where there is one, not by the log-in beside it', async () => {
    const browser = await world.as('viewer');
    const headers = { authorization: `Bearer ${newSecretToken()}` };
    expect((await browser.get('/api/v1/overview', headers)).status).toBe(401);
  });

  it.each(['Bearer', 'Bearer x', 'Basic dmlld2VyOng=', `bearer ${'x'.repeat(43)}`])(
    'refuses "%s"',
    async (authorization) => {
      const { status, text } = await world.stranger().get('/api/v1/overview', { authorization });
      expect([status, JSON.parse(text).error.code]).toEqual([401, 'NOT_LOGGED_IN']);
    },
  );

  it('answers "too many" after 60 wrong tokens of an address, and the right one all the same', async () => {
    // It counts for itself.
    const listen = { host: '127.0.0.1', port: 0 };
    const fresh = await openDashboard(world.app, { ...world.settings.dashboard!, listen });
    const { token } = await world.program('viewer', ['look']);
    const wrong = () => askApi(fresh.url, newSecretToken(), '/overview');
    for (let tries = 1; tries <= 60; tries += 1) expect([tries, (await wrong()).status]).toEqual([tries, 401]);
    const { status, json } = await wrong();
    expect([status, json]).toMatchObject([429, { error: { code: 'TOO_MANY_TRIES' } }]);
    expect((await askApi(fresh.url, token, '/overview')).status).toBe(200);
    await fresh.close();
  });
});

const names = Object.keys(ACTIONS) as ActionName[];

describe('viewerMay', () => {
  it.each(Object.keys(PERSON_ROLES) as PersonRole[])('a person may what the role %s may', (role) => {
    const viewer = { person: 'ann', role, csrf: '', actions: undefined };
    expect(names.filter((name) => viewerMay(viewer, name))).toEqual(names.filter((name) => mayDo(role, name)));
  });

  it('a token may what it was made for, and never more than its person', () => {
    const token = { person: 'ann', csrf: '', actions: ['look', 'approve', 'drop'] as const };
    expect(names.filter((name) => viewerMay({ ...token, role: 'approver' }, name))).toEqual(['look', 'approve']);
    expect(names.filter((name) => viewerMay({ ...token, role: 'viewer' }, name))).toEqual(['look']);
  });
});

describe('actorOf', () => {
  it('is the user of the system of that name', () => {
    expect(actorOf({ person: 'ann', role: 'viewer', csrf: '', actions: undefined })).toBe('operator:ann');
  });
});

it('a route that needs a viewer fails when it lets anybody in', () => {
  const viewer = { person: 'ann', role: 'viewer', csrf: '', actions: undefined } as const;
  expect(viewerOf({ viewer })).toBe(viewer);
  expect(() => viewerOf({ viewer: null })).toThrow('lets anybody in');
});
