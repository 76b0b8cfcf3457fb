import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DashboardSettings } from '../../src/config/config-dashboard.ts';
import { openDashboard } from '../../src/web/open-dashboard.tsx';
import { openPipelineWorld, type PipelineWorld } from '../support/pipeline-world.ts';
import { makeCertificate } from '../gateway/support/make-certificate.ts';

let world: PipelineWorld;
beforeAll(async () => {
  world = await openPipelineWorld();
});
afterAll(() => world.close());

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
    expect(await ask('/assets/dashboard.css')).toBe(200);
    expect(await ask('/assets/dashboard.js')).toBe(200);
    for (const path of [
      '/assets/',
      '/assets/../open-dashboard.tsx',
      '/assets/%2e%2e%2fopen-dashboard.tsx',
      '/assets/..%5copen-dashboard.tsx',
    ])
      expect({ path, status: await ask(path) }).toEqual({
        path,
        status: expect.toSatisfy((status: number) => status >= 400),
      });
    await dashboard.close();
  });

  it('speaks HTTPS with a certificate of its own, and then binds cookie and browser to it', async () => {
    const tls = makeCertificate(['127.0.0.1']);
    const dashboard = await openDashboard(world.app, settings({ tls }));
    expect(dashboard.url).toMatch(/^https:/);
    const { get } = await import('node:https');
    const headers = await new Promise<NodeJS.Dict<string | string[]>>((resolve, reject) => {
      get(`${dashboard.url}/login`, { ca: tls.cert }, (answer) => resolve(answer.resume().headers)).on('error', reject);
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
