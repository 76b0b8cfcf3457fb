import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchBounded } from '../../../src/web/access/openid-provider.ts';
import { openDashboard } from '../../../src/web/open-dashboard.tsx';
import { dashboardForTests, openBrowser } from '../support/dashboard-world.ts';
import {
  type HostileProvider,
  sendJson,
  sendTokens,
  startHostileProvider,
  strangeKey,
} from '../support/hostile-provider.ts';
import { CLIENT } from '../support/openid-provider.ts';

const world = dashboardForTests();
let provider: HostileProvider;
let dashboard: { url: string; close(): Promise<void> };
beforeAll(async () => {
  provider = await startHostileProvider();
  const openid = { issuer: provider.issuer, ...CLIENT, label: 'Example' };
  const listen = { host: '127.0.0.1', port: 0 };
  dashboard = await openDashboard(world.app, { ...world.settings.dashboard!, listen, openid });
});
afterAll(async () => {
  await dashboard.close();
  await provider.close();
});

/** Sets out to the provider and comes back with a code. @returns what the page says */
async function logIn(answer: (reply: ServerResponse) => void): Promise<string> {
  const browser = openBrowser(dashboard.url);
  const { location = '' } = await browser.get('/login/openid');
  const asked = new URL(location).searchParams;
  provider.nonce = asked.get('nonce') ?? '';
  provider.answer = answer;
  const { status, text } = await browser.get(`/login/openid/callback?code=x&state=${asked.get('state')}`);
  expect(status).toBe(400);
  expect(browser.cookie).not.toMatch(/^paydrop-\d+=/);
  return text;
}

const logInWith = (change: Parameters<HostileProvider['token']>[0]) =>
  logIn((reply) => sendTokens(reply, provider.token(change)));
const now = () => Math.floor(Date.now() / 1_000);

describe('readSubject', () => {
  it('believes an answer that is as it should be; nobody here has that log-in', async () => {
    expect(await logInWith({})).toContain('no user here has your account of the provider');
    expect(await logInWith({ claims: { iat: now() - 590 } })).toContain('no user here has your account');
  });

  it.each([
    ['signed with a key that the provider does not publish', { key: strangeKey() }],
    ['signed by nobody', { header: { alg: 'none' }, signature: '' }],
    ['with a broken signature', { signature: 'AAAA' }],
    ['signed with the secret of the client as if it were the key', { header: { alg: 'HS256' } }],
    ['that names a key which is not there', { header: { kid: 'two' } }],
    ['for another program', { claims: { aud: 'another' } }],
    ['of another provider', { claims: { iss: 'https://evil.example' } }],
    ['of another log-in', { claims: { nonce: 'another' } }],
    ['that has expired', { claims: { exp: 1 } }],
  ])('does not believe an ID token %s', async (_, change) => {
    expect(await logInWith(change)).toContain('its answer is not genuine');
  });

  it.each([-660, 660])('does not believe an ID token made %i s from now', async (seconds) => {
    expect(await logInWith({ claims: { iat: now() + seconds } })).toContain('its answer is not of this moment');
  });

  it.each([
    ['has trouble', (reply: ServerResponse) => sendJson(reply, {}, 503), 'the provider does not answer'],
    ['breaks off', (reply: ServerResponse) => void reply.destroy(), 'the provider does not answer'],
    [
      'breaks off in the middle',
      (reply: ServerResponse) => void reply.writeHead(200, { 'content-length': 100 }).write('{', () => reply.destroy()),
      'the provider does not answer',
    ],
    ['refuses', (reply: ServerResponse) => sendJson(reply, { error: 'invalid_grant' }, 400), 'refused: invalid_grant'],
    ['refuses in words of its own', (reply: ServerResponse) => sendJson(reply, { error: '<b>x' }, 400), 'it refused'],
    ['says nothing of use', (reply: ServerResponse) => sendJson(reply, {}), 'its answer is not genuine'],
  ])('says what happened when the provider %s', async (_, answer, says) => {
    expect(await logIn(answer)).toContain(says);
  });

  it('reads no more of an endless answer than a sensible one has', async () => {
    let sent = 0;
    const text = await logIn((reply) => {
      reply.writeHead(200, { 'content-type': 'application/json' });
      const piece = Buffer.alloc(65_536, ' ');
      const more = () => {
        while (sent < 300_000_000 && !reply.destroyed && reply.write(piece)) sent += piece.length;
        if (sent >= 300_000_000) reply.end();
      };
      reply.on('drain', more);
      more();
    });
    expect(text).toContain('its answer is too long');
    expect(sent).toBeLessThan(50_000_000);
  });

  it('does not unpack a packed answer without end', async () => {
    const packed = gzipSync(Buffer.alloc(100_000_000, ' '));
    const text = await logIn((reply) =>
      reply.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(packed),
    );
    expect(text).toContain('its answer is too long');
  });
});

describe('fetchBounded', () => {
  it('gives up an answer that does not end in time', async () => {
    const server = createServer((_, reply) => void reply.writeHead(200).write('{'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const options = { method: 'GET', headers: {}, body: undefined, redirect: 'manual' } as const;
    const asked = fetchBounded(url, options, { mostBytes: 100, answerMs: 50 });
    await expect(asked).rejects.toMatchObject({ message: expect.stringContaining('the provider does not answer') });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});
