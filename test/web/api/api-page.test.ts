import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DashboardWorld, openDashboardWorld } from '../support/dashboard-world.ts';

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld();
});
afterAll(() => world.close());

describe('/api', () => {
  it('lists every operation of the document', async () => {
    const browser = await world.as('viewer');
    const { status, text } = await browser.get('/api');
    expect(status).toBe(200);
    const { paths } = JSON.parse((await browser.get('/api/v1/openapi.json')).text);
    expect(Object.keys(paths).length).toBeGreaterThan(10);
    for (const [path, methods] of Object.entries<Record<string, { summary: string }>>(paths)) {
      expect(text).toContain(`<code>${path}</code>`);
      for (const { summary } of Object.values(methods)) expect(text).toContain(summary.replaceAll('"', '&quot;'));
    }
  });

  it('says where tokens are made and how one is shown', async () => {
    const { text } = await (await world.as('viewer')).get('/api');
    expect(text).toContain('href="/me"');
    expect(text).toContain(`${world.url}/api/v1/overview`);
  });

  it('is for those who are logged in', async () => {
    expect((await world.stranger().get('/api')).location).toBe('/login?next=%2Fapi');
  });
});
