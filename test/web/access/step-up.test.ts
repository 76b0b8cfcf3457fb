import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needsProof } from '../../../src/web/access/step-up.ts';
import { openDashboard } from '../../../src/web/open-dashboard.tsx';
import type { WebContext } from '../../../src/web/web-context.ts';
import { findFreePort } from '../../support/daemon.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { doIt, fileNamed, openAction } from '../support/action-page.ts';
import { dashboardForTests, openBrowser, PASSWORD } from '../support/dashboard-world.ts';
import { type HostileProvider, sendTokens, startHostileProvider } from '../support/hostile-provider.ts';
import { CLIENT } from '../support/openid-provider.ts';

const world = dashboardForTests();

/** Lets eleven minutes pass since each user last proved who they are. */
async function letPass(): Promise<void> {
  await world.app.ledger.pool.query(`UPDATE user_session SET proved_at = now() - interval '11 minutes'`);
}

describe('needsProof', () => {
  const now = Date.parse('2026-06-15T10:00:00Z');
  const context = { app: { clock: { now: () => new Date(now) } }, settings: { proofMs: 600_000 } } as WebContext;
  const viewer = { person: 'ann', role: 'admin', csrf: '', actions: undefined } as const;

  it.each([
    [0, false],
    [599_999, false],
    [600_000, true],
    [-60_000, false],
    [-400 * 86_400_000, true],
  ])('of a proof %i ms ago is %s', (ago, needed) => {
    expect(needsProof({ ...viewer, provedAt: new Date(now - ago) }, context)).toBe(needed);
  });

  it('asks no program', () => {
    expect(needsProof({ ...viewer, actions: ['approve'] }, context)).toBe(false);
  });
});

/** The tests build on each other. */
describe('an action that moves money', () => {
  let path: string;
  beforeAll(async () => {
    await world.drop('card', 'held.csv.ctl', 'rows=99\n');
    await world.drop('card', 'held.csv', lines([cardRow(1), cardRow(2)]));
    await world.finish();
    path = `/files/${(await fileNamed(world, 'held.csv')).file_id}/do/approve`;
  });

  it('asks for the password beside the reason when the last proof is old, and does nothing without it', async () => {
    const approver = await world.as('approver');
    expect((await openAction(approver, path)).text).not.toContain('name="password"');
    await letPass();
    const page = await openAction(approver, path);
    expect(page.text).toContain('name="password"');
    const tries = [{}, { password: 'not this one' }, { password: '' }];
    for (const form of tries) {
      const { status, text } = await doIt(approver, path, { reason: 'meant so', ...form });
      expect([status, text]).toEqual([403, expect.stringMatching(/Enter your password|This password is wrong/)]);
      expect(text).toContain('value="meant so"');
      expect(text).not.toContain('not this one');
    }
    expect((await fileNamed(world, 'held.csv')).state).toBe('held');
  });

  it('is refused to the session at the API, which has no place for a password', async () => {
    const approver = await world.as('approver');
    await letPass();
    const headers = { 'x-csrf-token': await approver.csrf(), 'content-type': 'application/json' };
    const body = JSON.stringify({ reason: 'meant so' });
    const api = `/api/v1${path.replace('/do/', '/')}`;
    const { status, text } = await approver.send(api, { method: 'POST', headers, body });
    expect([status, JSON.parse(text).error.code]).toEqual([403, 'PROOF_NEEDED']);
    expect((await fileNamed(world, 'held.csv')).state).toBe('held');
  });

  it('is done with the password, which is proof enough for a while', async () => {
    const approver = await world.as('approver');
    await letPass();
    expect((await doIt(approver, path, { reason: 'meant so', password: PASSWORD })).status).toBe(200);
    expect((await fileNamed(world, 'held.csv')).state).not.toBe('held');
    expect((await openAction(approver, '/accounts/main/do/resume')).text).not.toContain('name="password"');
  });

  it('lets nobody guess the password of an open session', async () => {
    const operator = await world.as('operator');
    await letPass();
    const guess = (password: string) => operator.post('/me/prove', { next: '/audit', password });
    for (let tries = 0; tries < 5; tries += 1) expect((await guess(`guess ${tries}`)).text).toContain('is wrong');
    expect((await guess(PASSWORD)).text).toContain('Too many wrong passwords');
    const change = { old: PASSWORD, password: 'five other words entirely', repeated: 'five other words entirely' };
    expect((await operator.post('/me/password', change)).status).toBe(400);
  });
});

describe('a known browser', () => {
  it('proves its user, whatever wrong passwords came from a colleague at the same address', async () => {
    const browser = world.stranger();
    const body = new URLSearchParams({ name: 'other', password: PASSWORD });
    const { headers } = await browser.send('/login', { method: 'POST', body });
    browser.cookie = headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
    await letPass();
    for (let tries = 0; tries < 6; tries += 1)
      await world.stranger().post('/login', { name: 'other', password: `wrong ${tries}` }, '');
    expect((await world.stranger().post('/login', { name: 'other', password: PASSWORD }, '')).status).toBe(429);
    expect((await browser.post('/me/prove', { next: '/audit', password: PASSWORD })).location).toBe('/audit');
  });
});

describe('tokens and users', () => {
  it.each([
    ['/me/tokens', { name: 'cron', days: '9', actions: 'look' }, '/me'],
    ['/people', { name: 'eve', role: 'admin', reason: 'why not' }, '/people'],
    ['/people/viewer', { do: 'role', role: 'admin', reason: 'why not' }, '/people'],
  ])('%s leads to the proof and back, and does nothing before', async (path, form, from) => {
    const admin = await world.as('admin');
    await letPass();
    const audit = async () =>
      (await world.app.ledger.pool.query(`SELECT 1 FROM audit WHERE move ~ 'token|invite|role'`)).rowCount;
    const before = await audit();
    const send = async () => {
      const body = new URLSearchParams({ ...form, _csrf: await admin.csrf() });
      return admin.send(path, { method: 'POST', body, headers: { referer: `${world.url}${from}` } });
    };
    const { status, location } = await send();
    expect([status, location]).toEqual([303, `/me/prove?next=${encodeURIComponent(from)}`]);
    expect(await audit()).toBe(before);
    expect((await admin.get(location!)).text).toContain('Confirm that it is you');
    expect(await admin.post('/me/prove', { next: from, password: PASSWORD })).toMatchObject({
      status: 303,
      location: from,
    });
    expect((await send()).status).not.toBe(403);
    expect(await audit()).toBe(before! + 1);
  });

  it.each([
    ['/me/tokens', '/me'],
    ['/me/password', '/me'],
    ['/me/notify', '/me'],
    ['/me/second-factor/confirm', '/me/second-factor'],
    ['/people/viewer', '/people'],
  ])('%s, where the result of a form stood, leads to its page', async (path, page) => {
    expect((await (await world.as('admin')).get(path)).location).toBe(page);
  });

  it('says what is wrong without words of the command line, and leads back to the form', async () => {
    const admin = await world.as('admin');
    const body = new URLSearchParams({ name: 'viewer', role: 'admin', reason: 'again', _csrf: await admin.csrf() });
    const sent = { method: 'POST', body, headers: { referer: `${world.url}/people?of=viewer` } };
    const { status, text } = await admin.send('/people', sent);
    expect([status, text]).toEqual([400, expect.stringContaining('a user with that name exists.</')]);
    expect(text).toContain('<a href="/people?of=viewer">Back</a>');
    await admin.post('/logout');
    const late = await admin.send('/people', { ...sent, body });
    expect(late.text).toMatch(/Nothing was done.*href="\/login\?next=%2Fpeople%3Fof%3Dviewer"/s);
  });

  it('leads to no other site afterwards', async () => {
    const viewer = await world.as('viewer');
    await letPass();
    const { location } = await viewer.post('/me/prove', { next: '//evil.example', password: PASSWORD });
    expect(location).toBe('/');
  });
});

/** The tests build on each other. */
describe('a user who logs in elsewhere', () => {
  let provider: HostileProvider;
  let dashboard: { url: string; close(): Promise<void> };
  beforeAll(async () => {
    provider = await startHostileProvider();
    const openid = { issuer: provider.issuer, ...CLIENT, label: 'Example' };
    const listen = { host: '127.0.0.1', port: await findFreePort() };
    dashboard = await openDashboard(world.app, { ...world.settings.dashboard!, listen, openid });
    await world.app.ledger.pool.query(`UPDATE person SET password = NULL, subject = $1 WHERE name = 'second'`, [
      `${provider.issuer} eve`,
    ]);
  });
  afterAll(async () => {
    await dashboard.close();
    await provider.close();
  });

  /** Goes to the provider and back. @param agoS when the provider says that the user logged in there */
  async function travel(cookie: string, path: string, agoS: number) {
    const browser = openBrowser(dashboard.url);
    browser.cookie = cookie;
    const { location = '', headers } = await browser.get(path);
    const asked = new URL(location).searchParams;
    provider.nonce = asked.get('nonce') ?? '';
    const authTime = Math.floor(Date.now() / 1_000) - agoS;
    provider.answer = (reply) => sendTokens(reply, provider.token({ claims: { auth_time: authTime } }));
    const journey = headers.getSetCookie()[0]!.split(';')[0]!;
    browser.cookie = [cookie, journey].filter(Boolean).join('; ');
    const answer = await browser.get(`/login/openid/callback?code=x&state=${asked.get('state')}`);
    const session = answer.headers.getSetCookie().find((line) => /^paydrop-\d+=/.test(line));
    return { ...answer, asked, session: session?.split(';')[0] };
  }

  it('proves it there, where the provider asks again for their password', async () => {
    const { session = '' } = await travel('', '/login/openid', 86_400);
    await letPass();
    const browser = openBrowser(dashboard.url);
    browser.cookie = session;
    const page = await browser.get('/me/prove?next=/audit');
    expect(page.text).toContain('Log in again with Example');
    expect(page.text).not.toContain('type="password"');
    const path = '/login/openid?again=1&next=/audit';
    const old = await travel(session, path, 86_400);
    expect([old.asked.get('max_age'), old.status]).toEqual(['0', 400]);
    expect((await browser.get('/me/prove?next=/audit')).status).toBe(200);
    expect(await travel(session, path, 1)).toMatchObject({ status: 302, location: '/audit', session: undefined });
    expect(await browser.get('/me/prove?next=/audit')).toMatchObject({ status: 303, location: '/audit' });
  });
});
