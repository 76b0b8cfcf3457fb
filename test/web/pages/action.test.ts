import { beforeAll, describe, expect, it } from 'vitest';
import { ACTIONS, PERSON_ROLES, type PersonRole } from '../../../schemas/actions.ts';
import { pauseAccount, resumeAccount } from '../../../src/ledger/account/pause-account.ts';
import { handledIn } from '../../../src/web/actions/actions-for.ts';
import { SUBJECT_PATHS } from '../../../src/web/actions/find-subject.ts';
import { achRow, CARD, cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { actionsOf, doIt, fileNamed, openAction, readAction } from '../support/action-page.ts';
import { openDashboardWorld, type TestBrowser } from '../support/dashboard-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const HANDLED = handledIn([]);

const because = { actor: 'operator:ada', reason: 'wait' };

const world = openedForTests(() =>
  openDashboardWorld({ folder: { sameTotals: 'off' }, settings: { batch: { maxRows: 2 } } }),
);
const browsers = {} as Record<PersonRole, TestBrowser>;
beforeAll(async () => {
  for (const role of Object.keys(PERSON_ROLES) as PersonRole[]) browsers[role] = await world.as(role);
  await pauseAccount(world.app.ledger, 'main', because);
  for (const [index, name] of ['twice.csv', 'mistyped.csv'].entries())
    await world.drop('ach-charge', name, lines(upTo(4).map((n) => achRow(10 * index + n))));
  await world.drop('card', 'held.csv.ctl', 'rows=99\n');
  await world.drop('card', 'held.csv', lines([cardRow(1), cardRow(2)]));
  await world.finish();
});

const NOBODY: Readonly<Record<string, string>> = {
  fileId: 'nobody',
  batchNo: '1',
  name: 'nobody!',
  no: '999',
  day: '2026-06-15',
};

const routeOf = (action: (typeof HANDLED)[number]) => `${SUBJECT_PATHS[ACTIONS[action].to]}/do/${action}`;
const pathOf = (action: (typeof HANDLED)[number]) =>
  routeOf(action).replace(/:(\w+)/g, (_, name: string) => NOBODY[name]!);

describe('actionPages', () => {
  it('asks for each action of those who may do it, and only they learn that there is nothing', async () => {
    const pages = world.routes.filter(({ path, method }) => path.includes('/do/') && method !== 'HEAD');
    const wanted = HANDLED.flatMap((may) => ['GET', 'POST'].map((method) => ({ method, path: routeOf(may), may })));
    const inOrder = (routes: typeof pages) => routes.map(({ path, method }) => `${path} ${method}`).toSorted();
    expect(inOrder(pages)).toEqual(inOrder(wanted));
    for (const route of wanted) expect(pages).toContainEqual(route);
    for (const [role, status] of [
      ['operator', 404],
      ['approver', 403],
    ] as const) {
      expect((await browsers[role].get(pathOf('retry'))).status).toBe(status);
      expect((await browsers[role].post(pathOf('retry'), { reason: 'because', bind: 'x' })).status).toBe(status);
    }
  });

  it('refuses a form without the token of the session, for every action', async () => {
    for (const action of HANDLED)
      expect((await browsers.admin.post(pathOf(action), { reason: 'x' }, 'strange')).status, action).toBe(403);
  });

  it('knows no action of another kind of subject, and none that is done elsewhere', async () => {
    const { file_id: fileId } = await fileNamed(world, 'held.csv');
    for (const path of [`/files/${fileId}/do/pause`, '/accounts/main/do/approve', `/files/${fileId}/do/drop`])
      expect((await browsers.admin.get(path)).status, path).toBe(404);
    for (const path of [
      '/accounts/nobody/do/pause',
      '/schedules/nobody/do/run-now',
      `/files/${fileId}/batches/0/do/retry`,
    ])
      expect((await browsers.admin.get(path)).status, path).toBe(404);
  });

  it('shows what would happen, and changes nothing by that', async () => {
    const { file_id: fileId } = await fileNamed(world, 'held.csv');
    const { status, words, text } = await openAction(browsers.approver, `/files/${fileId}/do/approve`);
    expect(status).toBe(200);
    expect(words).toContain('2 rows, 50.00 USD will be sent.');
    expect(words).toContain('it says 99 rows, the file has 2');
    expect(text).toMatch(/<button type="submit" class="main">Approve 2 rows, 50.00 USD<\/button>/);
    expect(await world.states()).toMatchObject({ 'held.csv': 'held' });
    expect(await actionsOf(world, fileId)).toEqual([]);
  });

  it('does nothing when what the plan binds has changed, and shows the new plan', async () => {
    const path = '/accounts/main/do/resume';
    const seen = await openAction(browsers.approver, path);
    expect(seen.words).toContain('It was paused by ada: wait.');
    await resumeAccount(world.app.ledger, 'main', because);
    await pauseAccount(world.app.ledger, 'main', { actor: 'operator:bob', reason: 'wrong amounts' });
    const changed = readAction(await browsers.approver.post(path, { ...seen.hidden, reason: 'all is well' }));
    expect(changed.status).toBe(409);
    expect(changed.words).toContain('This has changed since you opened it');
    expect(changed.words).toContain('Now: It was paused by bob: wrong amounts.');
    // The user need not type the reason again.
    expect(changed.text).toContain('value="all is well"');
    const done = readAction(await browsers.approver.post(path, { ...changed.hidden, reason: 'all is well' }));
    expect([done.status, done.words]).toEqual([200, expect.stringContaining('Resumed: account main.')]);
    await pauseAccount(world.app.ledger, 'main', because);
  });

  it('does nothing for a form that has seen no plan', async () => {
    const { file_id: fileId } = await fileNamed(world, 'twice.csv');
    for (const bind of [undefined, 'made up']) {
      const form = { reason: 'recalled', ...(bind !== undefined && { bind }) };
      expect((await browsers.operator.post(`/files/${fileId}/do/cancel`, form)).status).toBe(409);
    }
    expect(await world.states()).toMatchObject({ 'twice.csv': 'accepted' });
  });

  it('does it once however often the form is sent', async () => {
    const { file_id: fileId } = await fileNamed(world, 'twice.csv');
    const path = `/files/${fileId}/do/cancel`;
    const { hidden } = await openAction(browsers.operator, path);
    const form = { ...hidden, reason: 'recalled' };
    const statuses = (await Promise.all([1, 2, 3].map(() => browsers.operator.post(path, form)))).map(
      ({ status }) => status,
    );
    expect(statuses.sort()).toEqual([200, 409, 409]);
    const again = readAction(await browsers.operator.post(path, form));
    expect([again.status, again.words]).toEqual([409, expect.stringContaining('its state is cancelled')]);
    const moves = await actionsOf(world, fileId);
    expect(moves.filter((move) => move.startsWith('operator:operator cancel'))).toHaveLength(3);
  });

  it('wants a reason, and keeps and shows none of the numbers in it', async () => {
    const { file_id: fileId } = await fileNamed(world, 'mistyped.csv');
    const path = `/files/${fileId}/do/cancel`;
    const empty = await doIt(browsers.operator, path, { reason: '  ' });
    expect([empty.status, empty.words]).toEqual([400, expect.stringContaining('the reason is empty')]);
    expect(await world.states()).toMatchObject({ 'mistyped.csv': 'accepted' });
    const done = await doIt(browsers.operator, path, { reason: `the card ${CARD} is stolen` });
    expect(done.status).toBe(200);
    expect(done.text).not.toContain(CARD);
    expect((await actionsOf(world, fileId))[0]).toContain('the card ************2220 is stolen');
  });

  it('takes a form with a file only where one is asked for', async () => {
    const { file_id: fileId } = await fileNamed(world, 'held.csv');
    const body = new FormData();
    body.set('_csrf', await browsers.admin.csrf());
    const { status } = await browsers.admin.send(`/files/${fileId}/do/approve`, { method: 'POST', body });
    expect(status).toBe(415);
  });

  it('shows nothing that somebody wrote into an address as marks of the page', async () => {
    const { file_id: fileId } = await fileNamed(world, 'held.csv');
    const { text } = await browsers.operator.get(`/files/${fileId}/do/resubmit?only=%3Cscript%3E`);
    expect(text).not.toContain('<script>');
  });
});
