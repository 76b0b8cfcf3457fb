import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DashboardWorld, openDashboardWorld, PASSWORD, type TestBrowser } from '../support/dashboard-world.ts';

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld();
});
afterAll(() => world.close());

const tryIt = (browser: TestBrowser, name: string, password: string) => browser.post('/login', { name, password }, '');

describe('logIn', () => {
  it('gives each log-in a secret of its own, never one that the browser brought along', async () => {
    const browser = world.stranger();
    browser.cookie = `paydrop=${'A'.repeat(43)}`;
    await tryIt(browser, 'viewer', PASSWORD);
    const first = browser.cookie;
    expect(first).toMatch(/^paydrop=[\w-]{43}$/);
    expect(first).not.toContain('AAAA');
    await tryIt(browser, 'viewer', PASSWORD);
    expect(browser.cookie).not.toBe(first);
    expect((await browser.get('/')).status).toBe(200);
  });

  it('says the same of a wrong name and of a wrong password, and gives no cookie', async () => {
    const answers = [];
    for (const [name, password] of [
      ['nobody', PASSWORD],
      ['viewer', 'a wrong password'],
      ['viewer', ''],
      ["' OR 1=1 --", PASSWORD],
    ] as const) {
      const browser = world.stranger();
      const { status, text } = await tryIt(browser, name, password);
      expect(browser.cookie).toBe('');
      answers.push(`${status} ${/Name or password is wrong/.exec(text)?.[0]}`);
    }
    expect(new Set(answers)).toEqual(new Set(['401 Name or password is wrong']));
  });

  it('makes somebody wait after five wrong passwords, also with the right one then, and lets others in', async () => {
    for (let tries = 0; tries < 5; tries += 1) await tryIt(world.stranger(), 'second', `wrong password ${tries}`);
    const { status, text } = await tryIt(world.stranger(), 'second', PASSWORD);
    expect([status, text]).toEqual([429, expect.stringContaining('Too many wrong passwords')]);
    expect((await tryIt(world.stranger(), 'approver', PASSWORD)).status).toBe(303);
    const { rows } = await world.app.ledger.pool.query(
      `SELECT evidence->>'from' AS address FROM audit WHERE move = 'log-in-failed' AND actor = 'operator:second'`,
    );
    expect(rows).toEqual(Array.from({ length: 5 }, () => ({ address: '127.0.0.1' })));
  });

  it('keeps secrets as hashes only', async () => {
    const browser = await world.as('viewer');
    const secret = browser.cookie.split('=')[1]!;
    const { rows } = await world.app.ledger.pool.query(
      `SELECT s::text AS row FROM desk_session s UNION ALL SELECT p::text FROM person p UNION ALL SELECT a::text FROM audit a`,
    );
    const all = rows.map(({ row }) => row).join('\n');
    expect(all).toContain('viewer');
    expect(all).not.toContain(secret);
    expect(all).not.toContain(PASSWORD);
  });

  it('ends what is over when somebody logs in', async () => {
    const { pool } = world.app.ledger;
    await pool.query(`UPDATE desk_session SET seen_at = seen_at - interval '2 days'`);
    await world.as('viewer');
    expect((await pool.query('SELECT 1 FROM desk_session')).rowCount).toBe(1);
  });
});
