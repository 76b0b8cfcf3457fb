import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACTIONS } from '../../schemas/actions.ts';
import { ROUTES } from '../../src/web/routes.ts';
import { type DashboardWorld, openDashboardWorld } from './support/dashboard-world.ts';

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld();
});
afterAll(() => world.close());

/** All routes that answer without a log-in. Each addition needs a good reason. */
const FOR_ANYBODY = [
  'GET /assets/*',
  'GET /login',
  'GET /login/openid',
  'GET /login/openid/callback',
  'GET /set-up/:token',
  'HEAD /assets/*',
  'HEAD /login',
  'HEAD /login/openid',
  'HEAD /login/openid/callback',
  'HEAD /set-up/:token',
  'POST /login',
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
    for (const cookie of ['', 'paydrop=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx']) {
      for (const { method, path } of closed) {
        const place = path.replace(/:\w+/g, 'x').replace('*', 'x');
        const headers = { accept: 'application/json', cookie };
        const { status, text } = await world.stranger().send(place, { method, headers });
        expect([method, place, status]).toEqual([method, place, 401]);
        if (method !== 'HEAD') expect(JSON.parse(text).error.code).toBe('NOT_LOGGED_IN');
      }
    }
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
