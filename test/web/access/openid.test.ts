import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDashboard } from '../../../src/web/open-dashboard.tsx';
import { findFreePort } from '../../support/find-free-port.ts';
import { CLIENT, startProvider } from '../support/openid-provider.ts';
import { openBrowser } from '../support/dashboard-world.ts';
import { openPipelineWorld, type PipelineWorld } from '../../support/pipeline-world.ts';

let world: PipelineWorld;
beforeAll(async () => {
  world = await openPipelineWorld();
});
afterAll(() => world.close());

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
    expect(cookie).toMatch(/^paydrop-openid=[\w-]+; Max-Age=600; Path=\/login\/openid; HttpOnly; SameSite=Lax$/);
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
