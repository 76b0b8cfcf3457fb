import { beforeEach, describe, expect, it } from 'vitest';
import { codeOf, hashRecoveryCode, openTotpSecret, stepAt } from '../../../src/crypto/totp.ts';
import { disablePerson } from '../../../src/ledger/person/change-person.ts';
import { readFactor, tryFactor } from '../../../src/ledger/person/second-factor.ts';
import { openDashboard } from '../../../src/web/open-dashboard.tsx';
import { forceSql } from '../../support/force-sql.ts';
import { dashboardForTests, openBrowser, PASSWORD, type TestBrowser } from '../support/dashboard-world.ts';
import { wordsOf } from '../support/read-page.ts';

const world = dashboardForTests();
const because = { actor: 'operator:test', reason: 'for the test' };

beforeEach(async () => {
  for (const table of ['recovery_code', 'second_factor']) await forceSql(world.app, `DELETE FROM ${table}`);
  await forceSql(world.app, `DELETE FROM vault_key WHERE name LIKE 'second factor %'`);
});

/** Returns the code of a user's app, some half minutes from now. */
async function codeNow(person: string, later = 0): Promise<string> {
  const { wrapped } = (await readFactor(world.app.ledger, person))!;
  return codeOf(openTotpSecret(world.app.keys, person, wrapped), stepAt(world.app.clock.now()) + later);
}

async function codesLeft(person: string): Promise<number | undefined> {
  return (await readFactor(world.app.ledger, person))?.codes;
}

/** Sets up the second factor of a user. @returns the recovery codes */
async function setUp(browser: TestBrowser, person: string): Promise<string[]> {
  await browser.post('/me/second-factor/begin');
  const { text } = await browser.post('/me/second-factor/confirm', { code: await codeNow(person, -1) });
  return [...text.matchAll(/<code>([a-z2-7-]{19})<\/code>/g)].map(([, code]) => code!);
}

/** Sends the password of a user. @returns the browser, and where it was led */
async function sendPassword(name: string, next = '/'): Promise<{ browser: TestBrowser; location: string | undefined }> {
  const browser = world.stranger();
  const { location } = await browser.post('/login', { name, password: PASSWORD, next }, '');
  return { browser, location };
}

const sendCode = (browser: TestBrowser, code: string, next = '/') => browser.post('/login/code', { code, next }, '');

describe('setting up a second factor', () => {
  it('shows a key for the app, and asks for it only after a right code', async () => {
    const browser = await world.as('operator');
    await browser.post('/me/second-factor/begin');
    const { text } = await browser.get('/me/second-factor');
    const [, key = ''] =
      /otpauth:\/\/totp\/paydrop:operator\?secret=([A-Z2-7]{32})&/.exec(text.replaceAll('&amp;', '&')) ?? [];
    expect(wordsOf(text)).toContain(key.match(/.{4}/g)!.join(' '));
    const wrong = await browser.post('/me/second-factor/confirm', { code: '000000' });
    expect([wrong.status, wordsOf(wrong.text)]).toEqual([400, expect.stringContaining('This code is wrong.')]);
    expect((await sendPassword('operator')).location).toBe('/queue');
    const right = await browser.post('/me/second-factor/confirm', { code: await codeNow('operator') });
    expect(wordsOf(right.text)).toContain('8 recovery codes left');
    expect((await sendPassword('operator')).location).toBe('/login/code?next=%2F');
  });

  it('keeps neither the key nor the recovery codes readable, and never shows the codes again', async () => {
    const browser = await world.as('operator');
    const codes = await setUp(browser, 'operator');
    expect(codes).toHaveLength(8);
    const { text } = await browser.get('/me/second-factor');
    for (const code of codes) expect(text).not.toContain(code);
    expect(text).not.toContain('otpauth');
    const { rows } = await world.app.ledger.pool.query<{ all: string }>(
      `SELECT (SELECT string_agg(f::text, '') FROM second_factor f) || (SELECT string_agg(c::text, '') FROM recovery_code c) AS all`,
    );
    for (const code of codes) expect(rows[0]!.all).not.toContain(code);
  });

  it('is not begun over one that is in use', async () => {
    const browser = await world.as('operator');
    await setUp(browser, 'operator');
    const before = await codeNow('operator');
    expect((await browser.post('/me/second-factor/begin')).status).toBe(409);
    expect(await codeNow('operator')).toBe(before);
  });

  it('ends at the wish of its user, at a new password by a link, and with the user', async () => {
    const browser = await world.as('operator');
    await setUp(browser, 'operator');
    await browser.post('/me/second-factor/end');
    expect(await readFactor(world.app.ledger, 'operator')).toBeUndefined();
    await setUp(browser, 'operator');
    const admin = await world.as('admin');
    const { text } = await admin.post('/people/operator', { do: 'link', reason: 'lost the phone' });
    const [, token = ''] = /set-up\/([\w-]{43})/.exec(text) ?? [];
    await world.stranger().post(`/set-up/${token}`, { password: PASSWORD, repeated: PASSWORD }, '');
    expect(await readFactor(world.app.ledger, 'operator')).toBeUndefined();
    const other = await world.as('other');
    await setUp(other, 'other');
    await disablePerson(world.app.ledger, 'other', because);
    const { rows } = await world.app.ledger.pool.query(`SELECT name FROM vault_key WHERE name LIKE 'second factor %'`);
    expect(rows).toEqual([]);
  });
});

describe('/login/code', () => {
  let codes: string[];
  beforeEach(async () => {
    codes = await setUp(await world.as('approver'), 'approver');
  });

  it('opens a session with a code, at the page that was asked for; the password alone opens none', async () => {
    const { browser, location } = await sendPassword('approver', '/files');
    expect(location).toBe('/login/code?next=%2Ffiles');
    expect((await browser.get('/files')).location).toBe('/login?next=%2Ffiles');
    const { status, location: led } = await sendCode(browser, await codeNow('approver'), '/files');
    expect([status, led]).toEqual([303, '/files']);
    expect((await browser.get('/files')).status).toBe(200);
    expect(wordsOf((await browser.get('/me')).text)).toContain('password and code');
  });

  it('takes no code twice, not even from another browser', async () => {
    const code = await codeNow('approver');
    expect((await sendCode((await sendPassword('approver')).browser, code)).status).toBe(303);
    expect((await sendCode((await sendPassword('approver')).browser, code)).status).toBe(401);
    expect((await sendCode((await sendPassword('approver')).browser, await codeNow('approver', 1))).status).toBe(303);
  });

  it('takes each recovery code once', async () => {
    expect((await sendCode((await sendPassword('approver')).browser, codes[0]!.toUpperCase())).status).toBe(303);
    expect(await codesLeft('approver')).toBe(7);
    expect((await sendCode((await sendPassword('approver')).browser, codes[0]!)).status).toBe(401);
    expect((await sendCode((await sendPassword('approver')).browser, codes[1]!)).status).toBe(303);
  });

  it('makes wait after five wrong codes, though the password was right in between', async () => {
    for (let tries = 1; tries <= 5; tries += 1)
      expect((await sendCode((await sendPassword('approver')).browser, '000000')).status).toBe(401);
    const { browser } = await sendPassword('approver');
    const { status, text } = await sendCode(browser, await codeNow('approver'));
    expect([status, wordsOf(text)]).toEqual([429, expect.stringContaining('Too many wrong codes.')]);
    const { rows } = await world.app.ledger.pool.query(
      `SELECT count(*) AS links FROM audit WHERE move = 'log-in-failed' AND reason = 'wrong code' AND actor = 'operator:approver'`,
    );
    expect(rows[0]).toMatchObject({ links: expect.toSatisfy((links: number) => links >= 5) });
  });

  it('compares five of many codes that come at once, of the app or for recovery', async () => {
    let compared = 0;
    const attempt = () =>
      tryFactor(world.app.ledger, 'approver', {
        findStep: () => void (compared += 1),
        recoveryHash: hashRecoveryCode('wrong'),
        from: '10.0.0.1',
      });
    const results = (await Promise.all(Array.from({ length: 20 }, attempt))).map(({ result }) => result);
    expect([compared, results.filter((result) => result === 'wait').length]).toEqual([5, 15]);
    const rightCode = { findStep: () => undefined, recoveryHash: hashRecoveryCode(codes[0]!), from: '10.0.0.1' };
    expect((await tryFactor(world.app.ledger, 'approver', rightCode)).result).toBe('wait');
  });

  it('sends a browser back that has sent no password, or too long ago', async () => {
    const back = { status: 303, location: '/login?next=%2Ffiles' };
    expect(await sendCode(world.stranger(), await codeNow('approver'), '/files')).toMatchObject(back);
    const { browser } = await sendPassword('approver');
    await forceSql(world.app, `UPDATE pending_log_in SET began_at = began_at - interval '6 minutes'`);
    expect(await sendCode(browser, await codeNow('approver'), '/files')).toMatchObject(back);
    expect((await sendCode(world.stranger(), '1', '//evil.example')).location).toBe('/login?next=%2F');
  });
});

describe('dashboard.secondFactor', () => {
  async function openWith(secondFactor: 'off' | 'required') {
    const settings = { ...world.settings.dashboard!, listen: { host: '127.0.0.1', port: 0 }, secondFactor };
    return openDashboard(world.app, settings);
  }

  it('required: lets a user do nothing before they have set it up, and then all', async () => {
    const dashboard = await openWith('required');
    try {
      const browser = openBrowser(dashboard.url);
      await browser.post('/login', { name: 'second', password: PASSWORD }, '');
      for (const path of ['/', '/files', '/me', '/api', '/export/files.csv'])
        expect(await browser.get(path), path).toMatchObject({ status: 303, location: '/me/second-factor' });
      expect((await browser.get('/api/v1/files', { accept: 'application/json' })).status).toBe(403);
      const page = await browser.get('/me/second-factor');
      const [, token = ''] = /<meta name="csrf" content="([^"]+)"/.exec(page.text) ?? [];
      await browser.post('/me/second-factor/begin', {}, token);
      await browser.post('/me/second-factor/confirm', { code: await codeNow('second') }, token);
      expect((await browser.get('/files')).status).toBe(200);
    } finally {
      await dashboard.close();
    }
  });

  it('off: asks nobody for a code', async () => {
    await setUp(await world.as('second'), 'second');
    const dashboard = await openWith('off');
    try {
      const browser = openBrowser(dashboard.url);
      expect((await browser.post('/login', { name: 'second', password: PASSWORD }, '')).location).toBe('/approvals');
      expect((await browser.get('/files')).status).toBe(200);
    } finally {
      await dashboard.close();
    }
  });
});
