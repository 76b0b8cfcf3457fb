import { describe, expect, it } from 'vitest';
import type { DeskSettings } from '../../../src/config/config-desk.ts';
import type { Desk } from '../../../src/web/desk.ts';
import { cookieName, isEncrypted, setSessionCookie } from '../../../src/web/access/session-cookie.ts';

function deskWith(settings: Partial<DeskSettings>): Desk {
  return { app: {} as Desk['app'], settings: { tls: undefined, trustedProxies: [], ...settings } as DeskSettings };
}

const PLAIN = deskWith({});
const TLS = deskWith({ tls: { cert: 'c', key: 'k' } });
const PROXY = deskWith({ trustedProxies: ['10.0.0.5'] });

describe('cookieName', () => {
  it('binds the cookie to this host wherever there is HTTPS', () => {
    expect([PLAIN, TLS, PROXY].map(cookieName)).toEqual(['paydrop', '__Host-paydrop', '__Host-paydrop']);
    expect([PLAIN, TLS, PROXY].map((desk) => isEncrypted(desk))).toEqual([false, true, true]);
  });
});

describe('setSessionCookie', () => {
  it.each([
    [PLAIN, false],
    [TLS, true],
  ])('keeps it from scripts and strange forms (%#)', (desk, secure) => {
    const calls: unknown[][] = [];
    setSessionCookie({ setCookie: (...words: unknown[]) => calls.push(words) } as never, desk, 'the secret');
    expect(calls).toEqual([[cookieName(desk), 'the secret', { path: '/', httpOnly: true, secure, sameSite: 'lax' }]]);
  });
});
