import { dashboardForTests } from './support/dashboard-world.ts';
import { assetAt } from '../../src/web/assets.ts';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { DashboardSettings } from '../../src/config/config-dashboard.ts';
import { COMPILE_LAZILY, type DashboardRoute, openDashboard } from '../../src/web/open-dashboard.tsx';
import { makeCertificate } from '../../src/sandbox/tls/make-certificate.ts';
import { PipelineError } from '../../src/kernel/errors.ts';
import { Refusal } from '../../src/web/access/refusal.ts';
import { troubleOf } from '../../src/web/answer-errors.tsx';
import { fastify } from 'fastify';
import type { WebContext } from '../../src/web/web-context.ts';
import { ROUTES } from '../../src/web/routes.ts';
import { ACTIONS } from '../../schemas/actions.ts';
import { h, type VNode } from 'preact';
import { sendPage } from '../../src/web/send-page.ts';
import type { Account } from '../../src/config/config.ts';
import { sharedZone } from '../../src/calendar/zone-time.ts';
import { zoneOf } from '../../src/web/zone-of.ts';

const world = dashboardForTests();

const settings = (more: Partial<DashboardSettings> = {}): DashboardSettings => ({
  ...world.settings.dashboard!,
  listen: { host: '127.0.0.1', port: 0 },
  ...more,
});

describe('openDashboard', () => {
  it('says what to do when the address is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as { port: number };
    const opened = openDashboard(world.app, settings({ listen: { host: '127.0.0.1', port } }));
    await expect(opened).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(
        /Cannot listen on "127\.0\.0\.1:\d+": .*Choose another port or host for the dashboard/,
      ),
    });
    await new Promise((resolve) => taken.close(resolve));
  });

  it('serves styles and script to everybody, and nothing beside them', async () => {
    const dashboard = await openDashboard(world.app, settings());
    const ask = async (path: string) => (await fetch(dashboard.url + path, { redirect: 'manual' })).status;
    expect(await ask(assetAt('dashboard.css'))).toBe(200);
    expect(await ask(assetAt('dashboard.js'))).toBe(200);
    for (const path of ['', 'fonts', 'fonts/', '../assets.ts', '%2e%2e%2fassets.ts', '..%5cassets.ts', '__proto__'])
      expect({ path, status: await ask(assetAt(path)) }).toEqual({
        path,
        status: expect.toSatisfy((status: number) => status >= 400),
      });
    await dashboard.close();
  });

  it.each([
    ['vendor/hotkey.js', 'text/javascript; charset=utf-8'],
    ['fonts/latin.woff2', 'font/woff2'],
  ])('serves %s whole, as %s', async (name, type) => {
    const answer = await fetch(world.url + assetAt(name));
    expect(answer.headers.get('content-type')).toBe(type);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(readFileSync(`src/web/assets/${name}`));
  });

  it('lets browsers keep styles and scripts, whose address changes with them, but no page', async () => {
    const keeps = async (path: string) => (await world.stranger().get(path)).headers.get('cache-control');
    expect(assetAt('dashboard.css')).toMatch(/^\/assets\/[\da-f]{12}\/dashboard\.css$/);
    expect(await keeps(assetAt('dashboard.css'))).toBe('public, max-age=31536000, immutable');
    expect(await keeps('/login')).toBe('no-store');
  });

  it.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['gzip, br', 'br'],
    ['identity', null],
  ])('compresses pages, scripts and JSON for those who take %s', async (accepted, encoding) => {
    const browser = await world.as('viewer');
    for (const path of ['/audit', assetAt('dashboard.css'), '/api/v1/openapi.json']) {
      const { status, headers } = await browser.get(path, { 'accept-encoding': accepted });
      expect([path, status, headers.get('content-encoding')]).toEqual([path, 200, encoding]);
    }
  });

  it('takes no compressed request, which could unpack to any size', async () => {
    const body = gzipSync(new URLSearchParams({ name: 'x'.repeat(1_000) }).toString());
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-encoding': 'gzip' };
    expect((await world.stranger().send('/login', { method: 'POST', body, headers })).text).not.toContain('xxx');
  });

  it('speaks HTTPS with a certificate of its own, and then binds cookie and browser to it', async () => {
    const tls = await makeCertificate(new Date(), ['127.0.0.1']);
    const dashboard = await openDashboard(world.app, settings({ tls }));
    expect(dashboard.url).toMatch(/^https:/);
    const { get } = await import('node:https');
    const headers = await new Promise<NodeJS.Dict<string | string[]>>((resolve, reject) => {
      get(`${dashboard.url}/login`, { ca: tls.ca }, (answer) => resolve(answer.resume().headers)).on('error', reject);
    });
    expect(headers['strict-transport-security']).toMatch(/^max-age=31536000/);
    await dashboard.close();
  });

  it('ends although a page listens', async () => {
    const dashboard = await openDashboard(world.app, settings());
    await fetch(`${dashboard.url}/login`);
    await dashboard.close();
    await expect(fetch(`${dashboard.url}/login`)).rejects.toThrow();
  });
});

describe('troubleOf', () => {
  it.each([
    [new Refusal('NOT_ALLOWED'), 403, 'NOT_ALLOWED', /Your role does not allow this/],
    [new PipelineError('NOT_FOUND', 'find a file "x"'), 404, 'NOT_FOUND', /find a file "x"/],
    [new PipelineError('MOVE_REFUSED', 'approve it'), 409, 'MOVE_REFUSED', /approve it/],
    [new PipelineError('LEDGER_UNREACHABLE', 'reach it'), 503, 'LEDGER_UNREACHABLE', /reach it/],
    [Object.assign(new Error('limit of /etc'), { statusCode: 413 }), 413, 'BAD_REQUEST', /too large/],
    [Object.assign(new Error('x'), { statusCode: 999 }), 500, 'INTERNAL', /An error occurred/],
    [new Error('password of user postgres at 10.0.0.1'), 500, 'INTERNAL', /^An error occurred/],
    ['thrown text', 500, 'INTERNAL', /An error occurred/],
    [null, 500, 'INTERNAL', /An error occurred/],
  ])('tells of %s what may be told', (error, status, code, says) => {
    expect(troubleOf(error)).toMatchObject({ status, code, says: expect.stringMatching(says) });
  });
});

describe('answerErrors', () => {
  it('answers a person with a page and a program with JSON', async () => {
    const browser = await world.as('viewer');
    const page = await browser.get('/nothing/here');
    expect([page.status, page.text]).toEqual([404, expect.stringContaining('This page does not exist')]);
    const json = await browser.get('/nothing/here', { accept: 'application/json' });
    expect([json.status, JSON.parse(json.text)]).toEqual([
      404,
      { error: { code: 'NOT_FOUND', says: 'This page does not exist (any more).' } },
    ]);
  });

  it('masks a card number that an address or a request holds, for programs and on pages', async () => {
    const browser = await world.as('viewer');
    for (const accept of ['application/json', 'text/html']) {
      const { text } = await browser.get('/files/4222222222222220', { accept });
      expect(text).not.toContain('4222222222222220');
    }
    const tell = await browser.get('/payments/4222222222222220/2', { accept: 'application/json' });
    expect(tell.text).not.toContain('4222222222222220');
  });

  it('escapes whatever stands in the address', async () => {
    const { text } = await (await world.as('viewer')).get('/<script>alert(1)</script>"\'');
    expect(text).not.toMatch(/<script>alert/);
  });

  it.each([
    ['a form that is too large', { method: 'POST', body: new URLSearchParams({ name: 'x'.repeat(300_000) }) }, 413],
    [
      'a kind of content that nobody asked for',
      { method: 'POST', body: '<x/>', headers: { 'content-type': 'text/xml' } },
      415,
    ],
  ])('refuses %s', async (_, init, status) => {
    expect((await world.stranger().send('/login', init)).status).toBe(status);
  });
});

const SCHEMA = {
  querystring: { type: 'object', properties: { page: { type: 'integer' } }, required: ['page'] },
  response: { 200: { type: 'object', properties: { page: { type: 'integer' } } } },
};

function serve(schema: object) {
  const server = fastify({ schemaController: { compilersFactory: COMPILE_LAZILY } });
  server.get('/rows', { schema }, async ({ query }) => ({ ...(query as object), secret: 'left out' }));
  return server;
}

describe('COMPILE_LAZILY', () => {
  it('checks and converts what comes, and says again and again what is wrong with it', async () => {
    const server = serve(SCHEMA);
    for (const wrong of ['/rows?page=first', '/rows?page=last']) {
      const answer = await server.inject(wrong);
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({ message: 'querystring/page must be integer' });
    }
    expect((await server.inject('/rows')).json()).toMatchObject({
      message: "querystring must have required property 'page'",
    });
  });

  it('answers with what the schema names', async () => {
    expect((await serve(SCHEMA).inject('/rows?page=7')).json()).toEqual({ page: 7 });
  });

  it('compiles nothing before it is used', async () => {
    const server = serve({ querystring: { type: 'no such type' } });
    await server.ready();
    expect((await server.inject('/rows')).statusCode).toBe(500);
  });

  it('is given nothing by the routes that does not compile, which no start would tell', async () => {
    const dashboard = { app: { settings: { features: [] } }, settings: {} } as unknown as WebContext;
    const server = fastify();
    for (const hang of ROUTES) await server.register(async (scope) => hang(scope, dashboard));
    await server.ready();
    expect(server.hasRoute({ method: 'GET', url: '/api/v1/files' })).toBe(true);
  });
});

/** All routes that answer without a log-in. Each addition needs a good reason. */
const FOR_ANYBODY = [
  `GET ${assetAt('*')}`,
  'GET /login',
  'GET /login/code',
  'GET /login/openid',
  'GET /login/openid/callback',
  'GET /set-up/:token',
  `HEAD ${assetAt('*')}`,
  'HEAD /login',
  'HEAD /login/code',
  'HEAD /login/openid',
  'HEAD /login/openid/callback',
  'HEAD /set-up/:token',
  'POST /login',
  'POST /login/code',
  'POST /logout',
  'POST /set-up/:token',
];

describe('ROUTES', () => {
  it('lets anybody in where it must, and nowhere else', () => {
    const open = world.routes.filter(({ may }) => may === 'anybody').map(({ method, path }) => `${method} ${path}`);
    expect([...new Set(open)].toSorted()).toEqual(FOR_ANYBODY);
  });

  it('refuses everything else to those who are not logged in, with a cookie of nobody too', async () => {
    const closed = world.routes.filter(({ may }) => may !== 'anybody');
    expect(closed.length).toBeGreaterThan(50);
    const ask = async ({ method, path }: DashboardRoute, cookie: string) => {
      const place = path.replace(/:\w+/g, 'x').replace('*', 'x');
      const headers = { accept: 'application/json', cookie };
      const { status, text } = await world.stranger().send(place, { method, headers });
      expect([method, place, status]).toEqual([method, place, 401]);
      if (method !== 'HEAD') expect(JSON.parse(text).error.code).toBe('NOT_LOGGED_IN');
    };
    for (const route of closed) await ask(route, '');
    await ask(closed.find(({ path }) => path === '/people')!, `paydrop=${'x'.repeat(43)}`);
  });

  it('leads people to the log-in instead, from whatever page', async () => {
    const pages = world.routes.filter(
      ({ method, path, may }) => method === 'GET' && may !== 'anybody' && !path.startsWith('/api/v1'),
    );
    for (const { path } of pages) {
      const place = path.replace(/:\w+/g, 'x').replace('*', 'x');
      const { status, location } = await world.stranger().get(place);
      expect([place, status, location]).toEqual([place, 302, `/login?next=${encodeURIComponent(place)}`]);
    }
  });

  it('answers what there is not no better to strangers', async () => {
    expect((await world.stranger().get('/nothing', { accept: 'application/json' })).status).toBe(401);
  });

  it('asks for actions that there are, and has a row for each subject once', () => {
    expect(world.routes.every(({ may }) => may === 'anybody' || Object.hasOwn(ACTIONS, may))).toBe(true);
    expect(new Set(ROUTES).size).toBe(ROUTES.length);
  });
});

it('a page is whole, escaped, and kept by nobody on the way', () => {
  const said: Record<string, unknown> = {};
  const reply = {
    request: { headers: {} },
    type: (type: string) => Object.assign(reply, void (said['type'] = type)),
    header: (name: string, value: string) => Object.assign(reply, void (said[name] = value)),
    send: (body: string) => Object.assign(reply, void (said['body'] = body)),
  };
  sendPage(reply as never, h('p', { title: '"><script>' }, '<b>&') as VNode);
  expect(said).toEqual({
    type: 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    body: '<!doctype html><p title="&quot;>&lt;script>">&lt;b>&amp;</p>',
  });
});

function accountsIn(zones: Readonly<Record<string, string>>) {
  return { accounts: new Map(Object.entries(zones).map(([name, timeZone]) => [name, { timeZone } as Account])) };
}

describe('zoneOf', () => {
  it('is that of the account, and UTC for one that is not there any more', () => {
    const settings = accountsIn({ main: 'America/Toronto' });
    expect([zoneOf(settings, 'main'), zoneOf(settings, 'gone')]).toEqual(['America/Toronto', 'UTC']);
  });
});

describe('sharedZone', () => {
  it.each([
    [{ main: 'America/Toronto', spare: 'America/Toronto' }, 'America/Toronto'],
    [{ main: 'America/Toronto', uk: 'Europe/London' }, 'UTC'],
    [{}, 'UTC'],
  ])('of %j is %s', (zones, zone) => {
    expect(sharedZone(accountsIn(zones))).toBe(zone);
  });
});
