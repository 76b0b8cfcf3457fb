import { describe, expect, it } from 'vitest';
import type { DashboardSettings } from '../../../src/config/config-dashboard.ts';
import { cookieName, isEncrypted, setSessionCookie } from '../../../src/web/access/cookies.ts';
import { openDashboard } from '../../../src/web/open-dashboard.tsx';
import type { WebContext } from '../../../src/web/web-context.ts';
import { dashboardForTests, openBrowser, PASSWORD } from '../support/dashboard-world.ts';
import { describeBrowser } from '../../../src/web/access/log-in-place.ts';

const world = dashboardForTests();

function dashboardWith(settings: Partial<DashboardSettings>): WebContext {
  return {
    app: {} as WebContext['app'],
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
