import { describe, expect, it } from 'vitest';
import type { DashboardSettings } from '../../../src/config/config-dashboard.ts';
import type { WebContext } from '../../../src/web/web-context.ts';
import { cookieName, isEncrypted, setSessionCookie } from '../../../src/web/access/log-in.ts';

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
  it('binds the cookie to this host wherever there is HTTPS', () => {
    expect([PLAIN, TLS, PROXY].map(cookieName)).toEqual(['paydrop', '__Host-paydrop', '__Host-paydrop']);
    expect([PLAIN, TLS, PROXY].map((dashboard) => isEncrypted(dashboard))).toEqual([false, true, true]);
  });
});

describe('setSessionCookie', () => {
  it.each([
    [PLAIN, false],
    [TLS, true],
  ])('keeps it from scripts and strange forms (%#)', (dashboard, secure) => {
    const calls: unknown[][] = [];
    setSessionCookie({ setCookie: (...words: unknown[]) => calls.push(words) } as never, dashboard, 'the secret');
    expect(calls).toEqual([
      [cookieName(dashboard), 'the secret', { path: '/', httpOnly: true, secure, sameSite: 'lax' }],
    ]);
  });
});
