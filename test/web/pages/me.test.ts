import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askApi, dashboardForTests, PASSWORD, TEST_PEOPLE, type TestBrowser } from '../support/dashboard-world.ts';
import { type ActionName, ACTIONS, mayDo } from '../../../schemas/actions.ts';
import { listNotifyRules, readStartPage, saveSettings } from '../../../src/ledger/person/people.ts';
import { type MailServer, startMailServer } from '../../support/receiver.ts';
import { forceSql } from '../../support/force-sql.ts';
import { listApiTokens } from '../../../src/ledger/person/api-tokens.ts';

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

type Form = { name?: string; days?: string; actions?: readonly string[] };

/** Sends the form on `/me` as a browser does: each ticked box is a separate field. */
async function ask(browser: TestBrowser, { name = 'nightly report', days = '90', actions = ['look'] }: Form = {}) {
  const body = new URLSearchParams({ name, days, _csrf: await browser.csrf() });
  for (const action of actions) body.append('actions', action);
  return browser.send('/me/tokens', { method: 'POST', body });
}

function secretIn(text: string): string | undefined {
  return /<code class="wrap">([\w-]{43})<\/code>/.exec(text)?.[1];
}

describe('makeApiToken', () => {
  // The dashboard lets an address try thirty log-ins in ten minutes.
  let other: TestBrowser;
  beforeAll(async () => {
    other = await world.as('other');
  });

  it('shows a token once, which then works', async () => {
    const browser = await world.as('operator');
    const secret = secretIn((await ask(browser)).text)!;
    expect((await askApi(world.url, secret, '/overview')).status).toBe(200);
    const { text } = await browser.get('/me');
    expect(text).toContain('nightly report');
    expect(text).not.toContain(secret);
    expect((await listApiTokens(world.app.ledger, 'operator'))[0]).toMatchObject({ actions: ['look'] });
  });

  it('offers what the role may and a program can do, and ticks nothing but looking', async () => {
    for (const person of ['viewer', 'operator', 'approver', 'admin'] as const) {
      const { text } = await (await world.as(person)).get('/me');
      const boxes = [...text.matchAll(/<input id="action-([\w-]+)"[^>]*>/g)];
      const elsewhere = ['check', 'drop', 'people'];
      const expected = (Object.keys(ACTIONS) as ActionName[]).filter(
        (action) => mayDo(TEST_PEOPLE[person], action) && !elsewhere.includes(action),
      );
      expect(boxes.map(([, action]) => action)).toEqual(expected);
      expect(boxes.filter(([box]) => / checked/.test(box)).map(([, action]) => action)).toEqual(['look']);
    }
  });

  it('gives no more than the role may, whatever the form says', async () => {
    const browser = await world.as('operator');
    expect((await ask(browser, { name: 'greedy', actions: ['look', 'approve', 'people', 'retry'] })).status).toBe(200);
    expect((await listApiTokens(world.app.ledger, 'operator'))[0]).toMatchObject({ actions: ['look', 'retry'] });
  });

  it.each<[string, Form, string]>([
    ['no name', { name: ' ' }, 'Give it a name'],
    ['a name without end', { name: 'x'.repeat(61) }, 'Give it a name'],
    ['no day', { days: '0' }, 'from 1 to 365'],
    ['too many days', { days: '366' }, 'from 1 to 365'],
    ['no number of days', { days: '1e2' }, 'from 1 to 365'],
    ['nothing that it is good for', { actions: [] }, 'Choose at least one'],
    ['only what the role may not', { actions: ['approve'] }, 'Choose at least one'],
  ])('refuses %s and keeps what was filled in', async (_, form, says) => {
    const { status, text } = await ask(other, form);
    expect([status, secretIn(text)]).toEqual([400, undefined]);
    expect(text).toContain(says);
    expect(text).toContain(`value="${form.days ?? '90'}"`);
    expect(await listApiTokens(world.app.ledger, 'other')).toEqual([]);
  });

  it('makes one that lives as long as was asked for', async () => {
    await ask(await world.as('second'), { days: '365' });
    const [token] = await listApiTokens(world.app.ledger, 'second');
    expect(token!.expiresAt.getTime() - token!.madeAt.getTime()).toBeCloseTo(365 * 86_400_000, -4);
  });

  it('masks a number in the name, which the audit trail keeps', async () => {
    await ask(await world.as('second'), { name: 'for 4222222222222220' });
    expect((await listApiTokens(world.app.ledger, 'second'))[0]!.name).toBe('for ************2220');
  });

  it('wants the token of the form', async () => {
    const browser = await world.as('approver');
    const form = { name: 'ridden', days: '1', actions: 'look' };
    expect((await browser.post('/me/tokens', form, 'x')).status).toBe(403);
    expect(await listApiTokens(world.app.ledger, 'approver')).toEqual([]);
  });
});

describe('endApiTokens', () => {
  it('revokes a token of the person at once', async () => {
    const program = await world.program('viewer', ['look']);
    const browser = await world.as('viewer');
    expect((await program.ask('/overview')).status).toBe(200);
    const { status, location } = await browser.post(`/me/tokens/${program.tokenNo}/revoke`);
    expect([status, location]).toEqual([303, '/me']);
    expect((await program.ask('/overview')).status).toBe(401);
    expect((await browser.get('/me')).text).toContain('revoked');
  });

  it("revokes nobody else's, and none that is not there", async () => {
    const program = await world.program('viewer', ['look']);
    const browser = await world.as('admin');
    for (const tokenNo of [program.tokenNo, 9_999_999, 'x'])
      expect((await browser.post(`/me/tokens/${tokenNo}/revoke`)).status).toBe(404);
    expect((await program.ask('/overview')).status).toBe(200);
  });
});

describe('ApiTokens', () => {
  it('says when a token was used last, and which have ended', async () => {
    const program = await world.program('second', ['look']);
    const browser = await world.as('second');
    expect((await browser.get('/me')).text).toContain('never');
    await program.ask('/overview');
    await world.app.ledger.pool.query(`UPDATE api_token SET expires_at = made_at WHERE person = 'second'`);
    const { text } = await browser.get('/me');
    expect(text).toContain('ended');
    expect(text).not.toContain('/revoke');
  });

  it('says what would stand here when there is none', async () => {
    expect((await (await world.as('other')).get('/me')).text).toContain('A token lets a program use the');
  });
});

describe('/me/settings', () => {
  let viewer: TestBrowser;
  beforeAll(async () => {
    viewer = await world.as('viewer');
  });
  const choose = (form: Record<string, string>) => viewer.post('/me/settings', form);

  it('shows all times in the zone that its person has chosen', async () => {
    expect((await viewer.get('/files')).text).toContain('Times: UTC');
    expect((await choose({ timeZone: 'Asia/Tokyo' })).location).toBe('/me');
    for (const path of ['/', '/files', '/audit', '/me']) {
      const { text } = await viewer.get(path);
      expect(text, path).toContain('Times: Tokyo');
      for (const [, title] of text.matchAll(/<time[^>]*title="([^"]*)"/g)) expect(title).toContain(' Tokyo · ');
    }
    expect((await (await world.as('operator')).get('/files')).text).toContain('Times: UTC');
  });

  it('sets colors and rows of tables, and shows what is chosen', async () => {
    await choose({ theme: 'dark', density: 'compact' });
    const { text } = await viewer.get('/me');
    expect(text).toContain('<html lang="en" data-theme="dark" data-density="compact">');
    expect(text).toContain('<option value="dark" selected>');
    await choose({});
    expect((await viewer.get('/me')).text).toContain('<html lang="en">');
  });

  it('chooses the page after the log-in, unless another was asked for', async () => {
    await choose({ start: '/files' });
    const password = PASSWORD;
    const logIn = (next: string) => world.stranger().post('/login', { name: 'viewer', password, next }, '');
    expect((await logIn('/')).location).toBe('/files');
    expect((await logIn('/audit')).location).toBe('/audit');
  });

  it('leads an approver to what waits for a decision, an operator to the queue, unless they chose another page', async () => {
    expect(await readStartPage(world.app.ledger, 'approver')).toBe('/approvals');
    expect(await readStartPage(world.app.ledger, 'operator')).toBe('/queue');
    await saveSettings(world.app.ledger, 'approver', { start: '/' });
    expect(await readStartPage(world.app.ledger, 'approver')).toBe('/');
  });

  it('takes nothing that is not offered', async () => {
    await choose({ timeZone: 'Mars/Olympus', theme: '"><script>', density: 'constructor', start: '//evil.example' });
    const { rows } = await world.app.ledger.pool.query(`SELECT settings FROM person WHERE name = 'viewer'`);
    expect(rows).toEqual([{ settings: {} }]);
  });

  it('bears a zone that this host does not know', async () => {
    await forceSql(world.app, `UPDATE person SET settings = '{"timeZone": "Mars/Olympus"}' WHERE name = 'viewer'`);
    const { status, text } = await viewer.get('/files');
    expect([status, text.includes('Times: UTC')]).toEqual([200, true]);
  });
});

/** The tests build on each other. */
describe('/me/notify', () => {
  // Its own, because one takes only so many log-ins.
  const world = dashboardForTests();
  let mail: MailServer;
  let operator: TestBrowser;
  beforeAll(async () => {
    mail = await startMailServer();
    const { alarms } = world.app.settings;
    alarms.push({ by: 'mail', smtpUrl: mail.url, from: 'p@example.test', to: ['all@example.test'] });
    operator = await world.as('operator');
  });
  afterAll(() => mail.close());
  const rules = () => listNotifyRules(world.app.ledger);
  const linkIn = (text: string) => /\/me\/notify\/[\w-]{43}/.exec(text.replace(/=\r?\n/g, ''))?.[0] ?? '';

  it('sends a link to a new address, and nothing else before its user confirms it', async () => {
    await operator.post('/me/notify', { mail: 'olga@example.test', kinds: 'file_held', digest: '07:00' });
    expect(mail.mails).toMatchObject([{ to: ['olga@example.test'] }]);
    const link = linkIn(mail.mails[0]!.text);
    expect((await operator.get(link)).text).toContain('Confirm this address');
    expect((await (await world.as('viewer')).post(link)).status).toBe(404);
    expect(await rules()).toEqual([]);
    expect((await operator.get('/me')).text).toContain('was sent to olga@example.test');
    expect((await operator.post(link)).location).toBe('/me');
    const rule = { mail: 'olga@example.test', kinds: ['file_held'], accounts: [], digest: '07:00' };
    expect(await rules()).toEqual([{ name: 'operator', rule }]);
    expect((await operator.post(link)).status).toBe(404);
  });

  it('keeps the address while other choices change, and asks again for another one', async () => {
    await operator.post('/me/settings', { theme: 'dark' });
    await operator.post('/me/notify', { mail: 'olga@example.test', kinds: 'exception', accounts: 'nowhere' });
    expect(await rules()).toMatchObject([{ rule: { mail: 'olga@example.test', kinds: ['exception'], accounts: [] } }]);
    expect(mail.mails).toHaveLength(1);
    await operator.post('/me/notify', { mail: 'eve@example.test', kinds: 'exception' });
    expect([await rules(), mail.mails.length]).toEqual([[], 2]);
    await operator.post('/me/notify');
    expect((await operator.get('/me')).text).not.toContain('eve@example.test');
  });

  it('says what is wrong, and sends no more than ten mails in ten minutes', async () => {
    for (const wrong of ['olga', 'a@b.test, c@d.test', 'a@b.test\r\nBcc: c@d.test'])
      expect((await operator.post('/me/notify', { mail: wrong })).text).toContain('This is not a mail address.');
    mail.refuse('550 no');
    const refused = await operator.post('/me/notify', { mail: 'olga@example.test' });
    expect([refused.status, refused.text.includes('The mail was not sent')]).toEqual([502, true]);
    expect(await rules()).toEqual([]);
    const statuses = [];
    for (let tries = 0; tries < 5; tries += 1) statuses.push((await operator.post('/me/notify')).status);
    expect(statuses).toEqual([303, 303, 429, 429, 429]);
  });
});
