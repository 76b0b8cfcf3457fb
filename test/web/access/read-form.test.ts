import { describe, expect, it, afterAll, beforeAll } from 'vitest';
import { fieldOf, fieldsOf, reasonFrom } from '../../../src/web/access/read-form.ts';
import { fastify, type FastifyInstance } from 'fastify';
import { takeUploads, uploadOf } from '../../../src/web/access/take-uploads.ts';
import { findPasswordFault } from '../../../src/web/access/log-in.ts';
import { REFUSALS, Refusal } from '../../../src/web/access/refusal.ts';
import type { DashboardSettings } from '../../../src/config/config-dashboard.ts';
import { cookieName, isEncrypted, setSessionCookie } from '../../../src/web/access/cookies.ts';
import { openDashboard } from '../../../src/web/open-dashboard.tsx';
import type { WebContext } from '../../../src/web/web-context.ts';
import { dashboardForTests, openBrowser, PASSWORD } from '../support/dashboard-world.ts';
import { describeBrowser } from '../../../src/web/access/log-in-place.ts';

describe('fieldOf', () => {
  it.each([
    [{ name: '  ann ' }, 'ann'],
    [{ name: ['ann', 'bob'] }, ''],
    [{ name: 7 }, ''],
    [{}, ''],
    [null, ''],
    ['name', ''],
  ])('of %j is %j', (form, value) => {
    expect(fieldOf(form, 'name')).toBe(value);
  });
});

describe('fieldsOf', () => {
  it.each([
    [{ action: 'look' }, ['look']],
    [{ action: ['look', 'drop', 7] }, ['look', 'drop']],
    [{}, []],
    [undefined, []],
  ])('of %j are %j', (form, values) => {
    expect(fieldsOf(form, 'action')).toEqual(values);
  });
});

describe('reasonFrom', () => {
  it('masks a number that somebody wrote into it, and leaves a date', () => {
    expect(reasonFrom({ reason: 'card 4111 1111 1111 1111 was twice' }, 'x')).toMatch(/^card [* ]+1111 was twice$/);
    expect(reasonFrom({ reason: ' agreed on 2026-06-15 10:30 ' }, 'x')).toBe('agreed on 2026-06-15 10:30');
  });

  it.each([{}, { reason: '' }, { reason: '   ' }])('wants one, which %j is not', (form) => {
    expect(() => reasonFrom(form, 'approve the file')).toThrow(/Cannot approve the file: the reason is empty/);
  });
});

const MOST = 1_000_000;

let server: FastifyInstance;
let url: string;
beforeAll(async () => {
  server = fastify();
  takeUploads(server, MOST);
  server.post('/', async ({ body }) => {
    const file = uploadOf(body, 'report');
    return { file: file && { name: file.name, hex: file.bytes.toString('hex') }, reason: fieldOf(body, 'reason') };
  });
  url = await server.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => server.close());

async function send(form: Record<string, string | File>): Promise<unknown> {
  const body = new FormData();
  for (const [name, value] of Object.entries(form)) body.set(name, value);
  return (await fetch(url, { method: 'POST', body })).json();
}

describe('takeUploads', () => {
  it('reads the fields of a form and the bytes of its file as they are', async () => {
    const bytes = new Uint8Array([0, 255, 13, 10, 45, 45, 13, 10]);
    expect(await send({ reason: ' so ', report: new File([bytes], 'a "b".csv') })).toEqual({
      file: { name: 'a "b".csv', hex: '00ff0d0a2d2d0d0a' },
      reason: 'so',
    });
  });

  it('knows a form in which no file was chosen, and one that says it is a field', async () => {
    expect(await send({ report: new File([], '') })).toEqual({ reason: '' });
    expect(await send({ report: 'no file' })).toEqual({ reason: '' });
    expect(await send({})).toEqual({ reason: '' });
  });

  it('keeps a field that is named like a part of every object apart', async () => {
    expect(await send({ __proto__x: 'x', ['__proto__']: 'polluted', reason: 'y' })).toEqual({ reason: 'y' });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('refuses what did not arrive whole, and what is too large', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const broken = await fetch(url, { method: 'POST', headers, body: '--x\r\nContent-Disp' });
    expect(await broken.text()).toContain('it arrived incomplete');
    const large = await fetch(url, { method: 'POST', headers, body: new Uint8Array(MOST + 300_000) });
    expect(large.status).toBe(413);
  });
});

describe('findPasswordFault', () => {
  it.each([
    ['four words nobody guesses', 'four words nobody guesses', undefined],
    ['eleven char', 'eleven char', 'Use at least 12 characters.'],
    ['', '', 'Use at least 12 characters.'],
    ['x'.repeat(300), 'x'.repeat(300), 'Use at most 256 characters.'],
    ['abababababab', 'abababababab', 'Use more than four different characters.'],
    ['Bartholomew-1', 'Bartholomew-1', 'Do not use your name.'],
    ['four words nobody guesses', 'four words nobody guessed', 'The two passwords differ.'],
  ])('of %j and %j is %j', (password, repeated, fault) => {
    expect(findPasswordFault(password, { name: 'bartholomew', repeated })).toBe(fault);
  });
});

it.each(Object.keys(REFUSALS) as (keyof typeof REFUSALS)[])('%s has a status of HTTP and says what to do', (code) => {
  const refusal = new Refusal(code);
  expect(refusal).toMatchObject({ code, statusCode: REFUSALS[code].status, message: REFUSALS[code].says });
  expect(refusal.statusCode).toBeGreaterThanOrEqual(400);
  expect(refusal.statusCode).toBeLessThan(500);
});

const world = dashboardForTests();

function dashboardWith(settings: Partial<DashboardSettings>): WebContext {
  return {
    app: {} as WebContext['app'],
    drops: { refresh: async () => {} },
    settings: { tls: undefined, trustedProxies: [], ...settings } as DashboardSettings,
  };
}

const PLAIN = dashboardWith({});
const TLS = dashboardWith({ tls: { cert: 'c', key: 'k' } });
const PROXY = dashboardWith({ trustedProxies: ['10.0.0.5'] });

describe('cookieName', () => {
  it('binds the cookie to this host wherever there is HTTPS, and to the port that the browser sees', () => {
    const names = (port: number | null) => [PLAIN, TLS, PROXY].map((dashboard) => cookieName(dashboard, { port }));
    expect(names(null)).toEqual(['paydrop', '__Host-paydrop', '__Host-paydrop']);
    expect(names(8420)).toEqual(['paydrop-8420', '__Host-paydrop-8420', '__Host-paydrop-8420']);
    expect([PLAIN, TLS, PROXY].map((dashboard) => isEncrypted(dashboard))).toEqual([false, true, true]);
  });

  it('lets two dashboards of one host each keep its log-in in the same browser', async () => {
    const other = await openDashboard(world.app, {
      ...world.settings.dashboard!,
      listen: { host: '127.0.0.1', port: 0 },
    });
    const here = await world.as('viewer');
    const there = openBrowser(other.url);
    await there.post('/login', { name: 'operator', password: PASSWORD }, '');
    here.cookie = there.cookie = `${here.cookie}; ${there.cookie}`;
    expect((await here.get('/me')).text).toContain('<dd>viewer</dd>');
    expect((await there.get('/me')).text).toContain('<dd>operator</dd>');
    await other.close();
  });
});

describe('setSessionCookie', () => {
  it.each([
    [PLAIN, false],
    [TLS, true],
  ])('keeps it from scripts and strange forms (%#)', (dashboard, secure) => {
    const calls: unknown[][] = [];
    const reply = { request: { port: 8420 }, setCookie: (...words: unknown[]) => calls.push(words) };
    setSessionCookie(reply as never, dashboard, 'the secret');
    expect(calls).toEqual([
      [cookieName(dashboard, { port: 8420 }), 'the secret', { path: '/', httpOnly: true, secure, sameSite: 'lax' }],
    ]);
  });
});

const MOZILLA = 'Mozilla/5.0';
const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

it.each([
  [`${MOZILLA} (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0`, 'Firefox on Windows'],
  [
    `${MOZILLA} (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/128.0.0.0 Safari/537.36 Edg/128.0.0.0`,
    'Edge on Windows',
  ],
  [`${MOZILLA} (X11; Linux x86_64) ${WEBKIT} Chrome/128.0.0.0 Safari/537.36`, 'Chrome on Linux'],
  [`${MOZILLA} (Linux; Android 10; K) ${WEBKIT} Chrome/128.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
  [
    `${MOZILLA} (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/17.5 Safari/605.1.15`,
    'Safari on macOS',
  ],
  [
    `${MOZILLA} (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 CriOS/126.0 Safari/604.1`,
    'Chrome on iOS',
  ],
  [`${MOZILLA} (X11; Linux x86_64) ${WEBKIT} Chrome/128.0.0.0 Safari/537.36 OPR/114.0.0.0`, 'Opera on Linux'],
  ['curl/8.5.0', 'another program'],
  ['<script>alert(1)</script> 4111111111111111', 'another program'],
  [undefined, 'another program'],
])('describeBrowser says of %s: %s', (userAgent, says) => {
  expect(describeBrowser(userAgent)).toBe(says);
});
