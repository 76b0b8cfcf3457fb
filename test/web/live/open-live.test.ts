import { dashboardForTests, type TestBrowser, type TestPerson } from '../support/dashboard-world.ts';
import { describe, expect, it } from 'vitest';
import { type ChangedParts, changedParts } from '../../../src/web/live/changed-parts.ts';
import { disablePerson } from '../../../src/ledger/person/change-person.ts';
import { endOtherSessions } from '../../../src/ledger/person/sessions.ts';
import { forceSql } from '../../support/force-sql.ts';
import { pauseAccount, resumeAccount } from '../../../src/ledger/account/pause-account.ts';

const world = dashboardForTests();

const BECAUSE = { actor: 'operator:ann', reason: 'to see' };

describe('GET /live', () => {
  it('is for those who are logged in', async () => {
    const { status } = await world.stranger().get('/live', { accept: 'text/event-stream' });
    expect(status).toBe(401);
  });

  it('tells a page that something has moved, and of which file at most', async () => {
    const { cookie } = await world.as('viewer');
    const stop = new AbortController();
    const answer = await fetch(`${world.url}/live`, { headers: { cookie }, signal: stop.signal });
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    expect(answer.headers.get('x-accel-buffering')).toBe('no');
    let text = '';
    const reading = (async () => {
      for await (const chunk of answer.body!) text += Buffer.from(chunk).toString();
    })().catch(() => {});
    let isPaused = false;
    await expect
      .poll(
        async () => {
          await (isPaused ? resumeAccount : pauseAccount)(world.app.ledger, 'main', BECAUSE);
          isPaused = !isPaused;
          return text;
        },
        { interval: 300 },
      )
      .toContain('event: change\ndata: *\n\n');
    expect(text.replaceAll('event: change\ndata: *\n\n', '').replaceAll(':\n\n', '')).toBe('retry: 3000\n\n');
    stop.abort();
    await reading;
    if (isPaused) await resumeAccount(world.app.ledger, 'main', BECAUSE);
  });

  it('ends with its session, however that ends, and not by the next keep-alive', async () => {
    const ends: Partial<Record<TestPerson, (browser: TestBrowser) => Promise<unknown>>> = {
      approver: (browser) => browser.post('/logout', {}),
      admin: () => endOtherSessions(world.app.ledger, 'admin', undefined, BECAUSE),
      second: () => forceSql(world.app, `UPDATE user_session SET seen_at = '2001-01-01' WHERE person = 'second'`),
      other: () => disablePerson(world.app.ledger, 'other', BECAUSE),
    };
    const over = Object.entries(ends).map(async ([person, endIt]) => {
      const browser = await world.as(person as TestPerson);
      const answer = await fetch(`${world.url}/live`, { headers: { cookie: browser.cookie } });
      const reader = answer.body!.getReader();
      let text = '';
      while (!text.includes('event: change')) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`${person} ${answer.status} ${text}`);
        text += Buffer.from(value).toString();
      }
      await endIt(browser);
      text = '';
      // Others move meanwhile.
      for (let part = await reader.read(); !part.done; part = await reader.read())
        text += Buffer.from(part.value).toString();
      return [person, text.replaceAll('event: change\ndata: *\n\n', '')];
    });
    expect(await Promise.all(over)).toEqual(Object.keys(ends).map((person) => [person, 'event: over\ndata: \n\n']));
  });

  it('is for ten pages of one user at most, and others have theirs', async () => {
    const [viewer, operator] = [await world.as('viewer'), await world.as('operator')];
    const stop = new AbortController();
    const open = ({ cookie }: TestBrowser) => fetch(`${world.url}/live`, { headers: { cookie }, signal: stop.signal });
    const answers = [];
    for (let pages = 0; pages < 10; pages += 1) answers.push((await open(viewer)).status);
    expect(answers).toEqual(Array.from({ length: 10 }, () => 200));
    expect((await open(viewer)).status).toBe(429);
    expect((await open(operator)).status).toBe(200);
    stop.abort();
    // A page that is closed makes room for another.
    const again = new AbortController();
    const status = () => fetch(`${world.url}/live`, { headers: { cookie: viewer.cookie }, signal: again.signal });
    await expect.poll(async () => (await status()).status).toBe(200);
    again.abort();
  });
});

describe('a page that is open', () => {
  it('gets only the parts that it does not have, and no form twice for its token', async () => {
    const viewer = await world.as('operator');
    const ask = async (parts: string) => {
      const answer = await viewer.get('/accounts', { 'x-live': '1', 'x-parts': parts, accept: 'text/html' });
      expect(answer.headers.get('content-type')).toContain('application/json');
      return JSON.parse(answer.text) as ChangedParts;
    };
    const all = await ask('');
    expect(all.title).toBe('Accounts · paydrop');
    expect(all.parts.map(({ name }) => name)).toContain('nav');
    const known = (of: ChangedParts) => of.parts.map(({ name, hash }) => `${name}=${hash}`).join(',');
    expect((await ask(known(all))).parts).toEqual([]);
    await pauseAccount(world.app.ledger, 'main', BECAUSE);
    const changed = await ask(known(all));
    expect(changed.parts.length).toBeGreaterThan(0);
    expect(changed.parts.length).toBeLessThan(all.parts.length);
    await resumeAccount(world.app.ledger, 'main', BECAUSE);
  });

  it('cuts each part at the end of its own tag', () => {
    const page = '<title>a &amp; b</title><nav data-part="n">x</nav><div class="c" data-part="d"><div>1</div>2</div>3';
    const { title, parts } = changedParts(page, 'n=other');
    expect(title).toBe('a &amp; b');
    expect(parts.map(({ name, html }) => [name, html])).toEqual([
      ['n', 'x'],
      ['d', '<div>1</div>2'],
    ]);
  });
});
