import { describe, expect, it } from 'vitest';
import { assetAt } from '../../../src/web/assets.ts';
import { QUEUES } from '../../../schemas/jobs.ts';
import { dashboardForTests, TEST_PEOPLE, type TestPerson } from '../support/dashboard-world.ts';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { tidyBoardPage } from '../../../src/web/queues/queue-board.ts';

const world = dashboardForTests();

describe('queueBoard', () => {
  it('shows its page and every queue to everybody who may look', async () => {
    await world.app.queue.add('submit', 'submit-f1-1', { fileId: 'f1', batchNo: 1 });
    const browser = await world.as('viewer');
    for (const path of ['/queues', '/queues/', '/queues/queue/submit', '/queues/job-schedulers'])
      expect((await browser.get(path)).text).toContain('<div id="root">');
    expect((await browser.send('/queues', { method: 'HEAD' })).status).toBe(200);
    const { queues } = JSON.parse((await browser.get('/queues/api/queues?activeQueue=submit')).text);
    expect(queues.map((queue: { name: string }) => queue.name)).toEqual(Object.keys(QUEUES));
    expect(queues.every((queue: { readOnlyMode: boolean }) => queue.readOnlyMode)).toBe(true);
    expect(queues[1].jobs).toMatchObject([{ data: { fileId: 'f1', batchNo: 1 }, stacktrace: [] }]);
  });

  it('brings the files that its page names', async () => {
    const browser = await world.as('viewer');
    const { text } = await browser.get('/queues');
    const files = [...text.matchAll(/(?:href|src)="(static\/[^"]+|\/assets\/[^"]+)"/g)].map(([, file]) => file!);
    expect(files.length).toBeGreaterThan(4);
    for (const file of files)
      expect([file, (await browser.get(new URL(file, 'http://x/queues/').pathname)).status]).toEqual([file, 200]);
  });

  it('sends nobody but those who are logged in, and leads the others to the log-in', async () => {
    const stranger = world.stranger();
    expect((await stranger.get('/queues/queue/submit')).location).toBe('/login?next=%2Fqueues%2Fqueue%2Fsubmit');
    const { status, text } = await stranger.get('/queues/api/queues', { accept: 'application/json' });
    expect([status, JSON.parse(text)]).toEqual([401, { error: { code: 'NOT_LOGGED_IN', says: 'Log in first.' } }]);
  });

  it.each(Object.keys(TEST_PEOPLE) as TestPerson[])('lets %s change nothing, by whatever method', async (person) => {
    const browser = await world.as(person);
    const headers = { 'x-csrf-token': await browser.csrf(), accept: 'application/json' };
    const changes = world.routes.filter(
      ({ method, path }) => path.startsWith('/queues/') && !['GET', 'HEAD'].includes(method),
    );
    expect(changes.length).toBeGreaterThan(10);
    for (const { method, path } of changes) {
      const place = path.replace(':queueName', 'submit').replace(/:\w+/g, 'x');
      const { status, text } = await browser.send(place, { method, headers });
      expect([method, place, status, JSON.parse(text).error.code]).toEqual([method, place, 403, 'ONLY_TO_LOOK_AT']);
    }
  });

  it('tells a person on a page of the dashboard what is refused', async () => {
    const browser = await world.as('operator');
    const headers = { 'x-csrf-token': await browser.csrf() };
    const answer = await browser.send('/queues/api/queues/submit/pause', { method: 'PUT', headers });
    expect(answer.text).toContain('Queues can only be viewed here, not changed.');
    expect(answer.text).not.toContain('back-to-dashboard');
    expect(answer.headers.get('content-security-policy')).toContain("base-uri 'none'");
  });

  it('keeps the policy of the dashboard but for the base of its page', async () => {
    const browser = await world.as('viewer');
    const policyOf = async (path: string) => (await browser.get(path)).headers.get('content-security-policy');
    expect(await policyOf('/queues')).toBe((await policyOf('/me'))?.replace("base-uri 'none'", "base-uri 'self'"));
    expect(await policyOf('/queues/api/queues')).toBe(await policyOf('/me'));
    expect((await browser.get('/queues')).headers.get('cache-control')).toBe('no-store');
  });

  it('does not keep somebody logged in who only left the board open', async () => {
    const browser = await world.as('second');
    const age = () =>
      world.app.ledger.pool.query(
        `UPDATE desk_session SET seen_at = seen_at - interval '5 minutes' WHERE person = 'second' RETURNING seen_at`,
      );
    const seenAt = async () =>
      (await world.app.ledger.pool.query(`SELECT seen_at FROM desk_session WHERE person = 'second'`)).rows;
    const { rows: before } = await age();
    expect((await browser.get('/queues/api/queues?activeQueue=submit')).status).toBe(200);
    expect(await seenAt()).toEqual(before);
    await browser.get('/queues');
    expect(await seenAt()).not.toEqual(before);
  });

  it('tells nothing of the server of the queue', async () => {
    const browser = await world.as('admin');
    for (const path of ['/queues/api/redis/stats', '/queues/api/queues/submit/workers'])
      expect((await browser.get(path, { accept: 'application/json' })).status).toBe(403);
  });
});

/** Read the page from the package, so that changes in a new release show up here first. */
const require = createRequire(import.meta.url);
const ui = dirname(createRequire(require.resolve('@bull-board/api')).resolve('@bull-board/ui/package.json'));
const boardPage = readFileSync(join(ui, 'dist/index.ejs'), 'utf8');

describe('tidyBoardPage', () => {
  const tidied = tidyBoardPage(boardPage);

  it.each([
    ['nothing from another server', /(?:href|src)="https?:/],
    ['no style within the page', /<style|\sstyle=/],
    [
      'no script within the page but the settings, which are no script',
      /<script(?![^>]*src=)(?![^>]*application\/json)/,
    ],
    ['no handler within the page', /<[^>]+\son\w+=/],
  ])('leaves %s', (_, forbidden) => {
    expect(tidied).not.toMatch(forbidden);
  });

  it('had something to take out', () => {
    expect(boardPage).toMatch(/href="https:/);
    expect(boardPage).toMatch(/<style>/);
    expect(boardPage).toMatch(/\sstyle="/);
  });

  it('keeps the scripts and styles of the board', () => {
    const filesOf = (html: string) => html.match(/(?:href|src)="static\/[^"]+"/g) ?? [];
    expect(filesOf(tidied)).toEqual(filesOf(boardPage));
    expect(filesOf(tidied).length).toBeGreaterThan(2);
  });

  it('leads back to the dashboard', () => {
    expect(tidied).toContain('<a class="back-to-dashboard" href="/">← Back to the dashboard</a>');
    expect(tidied).toContain(`href="${assetAt('queues.css')}"`);
  });
});
