import { describe, expect, it } from 'vitest';
import { dashboardForTests, PASSWORD } from '../support/dashboard-world.ts';

const world = dashboardForTests();

async function logIn(person: string, agent: string) {
  const browser = world.stranger();
  const body = new URLSearchParams({ name: person, password: PASSWORD });
  await browser.send('/login', { method: 'POST', body, headers: { 'user-agent': agent } });
  return browser;
}

/** Returns where the form that ends the session of a browser is sent. */
function endOf(text: string, browser: string): string {
  const forms = text.split('<form').filter((form) => form.includes(`End the session of ${browser}"`));
  return /action="([^"]+)"/.exec(forms[0] ?? '')?.[1] ?? '';
}

/** The tests build on each other. */
describe('/me, sessions', () => {
  it('shows where a user is logged in, and ends one of the others at once', async () => {
    const [here, there] = [await logIn('operator', 'Windows Firefox/1'), await logIn('operator', 'Linux Chrome/1')];
    const { text } = await here.get('/me');
    expect(text).toContain('Firefox on Windows (this one)');
    expect(text).toContain('Chrome on Linux');
    expect(endOf(text, 'Firefox on Windows')).toBe('');
    expect(await here.post(endOf(text, 'Chrome on Linux'))).toMatchObject({ status: 303, location: '/me' });
    expect((await there.get('/me')).status).toBe(302);
    expect((await here.get('/me')).text).not.toContain('Chrome on Linux');
  });

  it('ends no session of another user, and none without the token of the form', async () => {
    const [victim, eve] = [await logIn('approver', 'Linux Chrome/1'), await logIn('viewer', 'Linux Firefox/1')];
    const other = await logIn('approver', 'Windows Firefox/1');
    const path = endOf((await other.get('/me')).text, 'Chrome on Linux');
    expect(path).toMatch(/^\/me\/sessions\/\d+\/end$/);
    expect((await eve.post(path)).status).toBe(404);
    expect((await other.post(path, {}, 'x')).status).toBe(403);
    expect((await eve.post('/me/sessions/x/end')).status).toBe(404);
    expect((await victim.get('/me')).status).toBe(200);
  });

  it('ends all others of the user', async () => {
    const browsers = [];
    for (const agent of ['Firefox/1', 'Chrome/1', 'Edg/1']) browsers.push(await logIn('other', agent));
    const stranger = await logIn('second', 'Firefox/1');
    await browsers[0]!.post('/me/sessions/end-others');
    const statuses = [...browsers, stranger].map(async (browser) => (await browser.get('/me')).status);
    expect(await Promise.all(statuses)).toEqual([200, 302, 302, 200]);
  });

  it('lets an administrator log a user out everywhere, with a reason', async () => {
    const [admin, second] = [await world.as('admin'), await logIn('second', 'Firefox/1')];
    expect((await admin.post('/people/second', { do: 'log-out', reason: '' })).status).toBe(400);
    expect((await admin.post('/people/second', { do: 'log-out', reason: 'lost laptop' })).status).toBe(303);
    expect((await second.get('/me')).status).toBe(302);
    const { rows } = await world.app.ledger.pool.query(
      `SELECT actor, reason, evidence FROM audit WHERE move = 'end-session' ORDER BY seq DESC LIMIT 1`,
    );
    expect(rows).toEqual([
      { actor: 'operator:admin', reason: 'lost laptop', evidence: { person: 'second', sessions: 2 } },
    ]);
  });
});
