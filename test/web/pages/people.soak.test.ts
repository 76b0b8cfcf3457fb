import { beforeAll, describe, expect, it } from 'vitest';
import { dashboardForTests, PASSWORD, type TestBrowser } from '../support/dashboard-world.ts';
import { listPeople } from '../../../src/ledger/person/people.ts';

const world = dashboardForTests();

const tryIt = (browser: TestBrowser, name: string, password: string) => browser.post('/login', { name, password }, '');

describe('logIn', () => {
  it('gives each log-in a secret of its own, never one that the browser brought along', async () => {
    const browser = world.stranger();
    browser.cookie = `paydrop-${new URL(world.url).port}=${'A'.repeat(43)}`;
    await tryIt(browser, 'viewer', PASSWORD);
    const first = browser.cookie;
    expect(first).toMatch(/^paydrop-\d+=[\w-]{43}$/);
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

  it('makes an address wait after five wrong passwords, also with the right one then, and lets others in', async () => {
    for (let tries = 0; tries < 5; tries += 1) await tryIt(world.stranger(), 'operator', `wrong password ${tries}`);
    const { status, text } = await tryIt(world.stranger(), 'operator', PASSWORD);
    expect([status, text]).toEqual([429, expect.stringContaining('Too many wrong passwords')]);
    expect((await tryIt(world.stranger(), 'approver', PASSWORD)).status).toBe(303);
    const { rows } = await world.app.ledger.pool.query(
      `SELECT evidence->>'from' AS address FROM audit WHERE move = 'log-in-failed' AND actor = 'operator:operator'`,
    );
    expect(rows).toEqual(Array.from({ length: 5 }, () => ({ address: '127.0.0.1' })));
  });

  it('keeps secrets as hashes only', async () => {
    const browser = await world.as('viewer');
    const secret = browser.cookie.split('=')[1]!;
    const { rows } = await world.app.ledger.pool.query(
      `SELECT s::text AS row FROM user_session s UNION ALL SELECT p::text FROM person p UNION ALL SELECT a::text FROM audit a`,
    );
    const all = rows.map(({ row }) => row).join('\n');
    expect(all).toContain('viewer');
    expect(all).not.toContain(secret);
    expect(all).not.toContain(PASSWORD);
  });

  it('ends what is over when somebody logs in', async () => {
    const { pool } = world.app.ledger;
    await pool.query(`UPDATE user_session SET seen_at = seen_at - interval '2 days'`);
    await world.as('viewer');
    expect((await pool.query('SELECT 1 FROM user_session')).rowCount).toBe(1);
  });
});

describe('who may use the dashboard', () => {
  let admin: TestBrowser;
  beforeAll(async () => {
    admin = await world.as('admin');
  });

  const linkIn = (text: string) => /http:\/\/[^<]+(\/set-up\/[\w-]{43})/.exec(text)?.[1] ?? '';
  const person = async (name: string) => (await listPeople(world.app.ledger)).find((row) => row.name === name);

  /** The tests build on each other. */
  describe('/people', () => {
    it('invites somebody by a link that is shown once and works once', async () => {
      const { status, text } = await admin.post('/people', { name: 'Bob', role: 'operator', reason: 'joins us' });
      expect(status).toBe(200);
      expect((await admin.get('/people')).text).not.toContain('/set-up/');
      const link = linkIn(text);
      const bob = world.stranger();
      expect((await bob.get(link)).text).toContain('Welcome, bob');
      const chosen = { password: 'a long enough password', repeated: 'a long enough password' };
      expect(await bob.post(link, chosen, '')).toMatchObject({ status: 303, location: '/' });
      expect((await bob.get('/')).status).toBe(200);
      expect((await world.stranger().post(link, chosen, '')).status).toBe(404);
      expect((await tryIt(world.stranger(), 'bob', 'a long enough password')).status).toBe(303);
    });

    it.each([
      ['no role', { name: 'x', role: 'king', reason: 'x' }],
      ['no reason', { name: 'x', role: 'viewer', reason: '' }],
      ['no name', { name: 'not a name', role: 'viewer', reason: 'x' }],
      ['a name that is taken', { name: 'viewer', role: 'viewer', reason: 'x' }],
    ])('refuses %s and makes nobody', async (_, form) => {
      const before = (await listPeople(world.app.ledger)).length;
      expect((await admin.post('/people', form)).status).toBe(400);
      expect(await listPeople(world.app.ledger)).toHaveLength(before);
    });

    it('gives another role, which holds at once', async () => {
      const other = await world.as('other');
      expect((await other.get('/people')).status).toBe(403);
      await admin.post('/people/other', { do: 'role', role: 'admin', reason: 'stands in' });
      expect((await other.get('/people')).status).toBe(200);
      await admin.post('/people/other', { do: 'role', role: 'operator', reason: 'is back' });
      expect((await other.get('/people')).status).toBe(403);
    });

    it('shuts a user out at once, and lets them in again by a new link only', async () => {
      const second = await world.as('second');
      await admin.post('/people/second', { do: 'disable', reason: 'left' });
      expect((await second.get('/')).status).toBe(302);
      expect((await tryIt(world.stranger(), 'second', PASSWORD)).status).toBe(401);
      const { text } = await admin.post('/people/second', { do: 'enable', reason: 'came back' });
      expect((await tryIt(world.stranger(), 'second', PASSWORD)).status).toBe(401);
      const again = { password: 'another long password', repeated: 'another long password' };
      expect((await world.stranger().post(linkIn(text), again, '')).status).toBe(303);
      expect((await person('second'))?.disabledAt).toBeNull();
    });

    it('does not disable the last administrator', async () => {
      const { status, text } = await admin.post('/people/admin', { do: 'disable', reason: 'why not' });
      expect([status, text]).toEqual([409, expect.stringContaining('Make another administrator first.')]);
      expect((await admin.get('/people')).status).toBe(200);
    });

    it('does nothing that the form does not name', async () => {
      expect((await admin.post('/people/viewer', { do: 'promote', reason: 'x' })).status).toBe(400);
      expect((await admin.post('/people/nobody', { do: 'disable', reason: 'x' })).status).toBe(404);
    });
  });
});

const NEW = 'five other words entirely';

describe('/me', () => {
  // Another dashboard, because one address may try to log in 30 times only.
  const world = dashboardForTests();

  it('says who one is and what one may do', async () => {
    const { text } = await (await world.as('approver')).get('/me');
    expect(text).toContain('approver: approves or declines held files');
  });

  it.each([
    ['a wrong present password', { old: 'not this one', password: NEW, repeated: NEW }, 'This password is wrong.'],
    ['a short new one', { old: PASSWORD, password: 'short', repeated: 'short' }, 'Use at least 12 characters.'],
    ['two new ones', { old: PASSWORD, password: NEW, repeated: PASSWORD }, 'The two passwords differ.'],
  ])('changes nothing for %s', async (_, form, says) => {
    const browser = await world.as('viewer');
    const { status, text } = await browser.post('/me/password', form);
    expect([status, text]).toEqual([400, expect.stringContaining(says)]);
    expect((await world.as('viewer')).cookie).not.toBe('');
  });

  it('changes the password, logs out the other browsers of this user and revokes their tokens', async () => {
    const [here, there, another] = [await world.as('approver'), await world.as('approver'), await world.as('viewer')];
    const program = await world.program('approver', ['look']);
    const { status, text } = await here.post('/me/password', { old: PASSWORD, password: NEW, repeated: NEW });
    expect([status, text]).toEqual([200, expect.stringContaining('1 API token revoked: make new ones')]);
    expect((await program.ask('/overview')).status).toBe(401);
    expect((await here.get('/me')).status).toBe(200);
    expect((await there.get('/me')).status).toBe(302);
    expect((await another.get('/me')).status).toBe(200);
    const tries = [PASSWORD, NEW].map((password) =>
      world.stranger().post('/login', { name: 'approver', password }, ''),
    );
    expect((await Promise.all(tries)).map((answer) => answer.status)).toEqual([401, 303]);
  });
});
