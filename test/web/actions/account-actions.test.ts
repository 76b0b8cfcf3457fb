import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readHolds } from '../../../src/ledger/account/read-holds.ts';
import { achRow, cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { doIt, fileNamed, openAction } from '../support/action-page.ts';
import { type DashboardWorld, openDashboardWorld, type TestBrowser } from '../support/dashboard-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { actionsFor } from '../../../src/web/actions/actions-for.ts';
import { readLastRun } from '../../../src/ledger/schedule/read-runs.ts';
import { linksOf } from '../support/read-page.ts';

describe('pause and resume', () => {
  const world = openedForTests(openDashboardWorld);
  async function stops(): Promise<string[]> {
    const { stops: found } = await readHolds(world.app.ledger, 'main');
    return found.map(({ account, kind, actor, reason }) => `${account} ${kind} ${actor}: ${reason}`);
  }
  let operator: TestBrowser;
  let approver: TestBrowser;
  beforeAll(async () => {
    [operator, approver] = [await world.as('operator'), await world.as('approver')];
  });

  it('stop all accounts at once, apart from the stops of single ones', async () => {
    await doIt(operator, '/accounts/main/do/pause', { reason: 'this one' });
    expect((await operator.get('/accounts/main/do/resume')).status).toBe(403);
    expect((await openAction(approver, '/accounts/main/do/resume')).words).toContain('Batches waiting 0');
    const all = await openAction(operator, '/accounts/all/do/pause');
    expect(all.words).toContain('All accounts send nothing until a user resumes.');
    expect((await doIt(operator, '/accounts/all/do/pause', { reason: 'amounts look wrong' })).status).toBe(200);
    expect(await stops()).toEqual([
      '* pause operator:operator: amounts look wrong',
      'main pause operator:operator: this one',
    ]);
    const done = await doIt(approver, '/accounts/all/do/resume', { reason: 'amounts are right' });
    expect(done.words).toContain('Resumed: all accounts.');
    expect(done.words).toContain('Still held, main:');
    expect(await stops()).toEqual(['main pause operator:operator: this one']);
  });
});

describe('actionsFor', () => {
  it.each([
    ['file', 'claimed', ['check-outputs', 'rebuild-outputs']],
    ['file', 'held', ['approve', 'decline', 'move', 'check-outputs', 'rebuild-outputs']],
    ['file', 'accepted', ['cancel', 'acknowledge', 'move', 'check-outputs', 'rebuild-outputs']],
    ['file', 'completed', ['acknowledge', 'resubmit', 'check-outputs', 'rebuild-outputs']],
    ['batch', 'ready', ['cancel-batch', 'release', 'acknowledge-batch']],
    ['batch', 'refused', ['cancel-batch', 'retry', 'release', 'acknowledge-batch', 'withdraw']],
    ['batch', 'sending', ['acknowledge-batch']],
    ['batch', 'unknown', ['acknowledge-batch', 'adopt', 'probe', 'not-received', 'journal', 'close-in-doubt']],
    ['batch', 'exception', ['repoll', 'acknowledge-batch', 'close-in-doubt', 'disown']],
    ['batch', 'cancelled', ['acknowledge-batch']],
  ] as const)('of a %s that is %s are %j', (kind, state, actions) => {
    expect(actionsFor(kind, state)).toEqual(actions);
  });
});

const PATH = '/schedules/nightly/do/run-now';

describe('run-now', () => {
  let world: DashboardWorld;
  let operator: TestBrowser;
  beforeAll(async () => {
    const daily = { at: '23:59', timeZone: 'UTC' };
    world = await openDashboardWorld({
      folder: { schedule: 'nightly' },
      settings: {
        schedules: {
          nightly: { does: 'take', ...daily },
          closing: { does: 'day-close', account: 'main', ...daily },
          never: { does: 'take', ...daily, holidays: [new Date().toISOString().slice(0, 10)] },
        },
      },
    });
    operator = await world.as('operator');
    // Creates the folders.
    await world.finish();
  });
  afterAll(() => world.close());
  const lastRun = () => readLastRun(world.app.ledger, 'nightly', '9999-12-31');

  it("makes today's run once, and takes the files in its folders", async () => {
    await world.drop('card', 'june.csv', lines([cardRow(1)]));
    const plan = await openAction(operator, PATH);
    expect(plan.words).toContain('It is not made again at its regular time.');
    expect(await lastRun()).toBeUndefined();
    const done = await doIt(operator, PATH);
    expect([done.status, done.words]).toEqual([200, expect.stringMatching(/is done: 1 file taken\./)]);
    expect(await lastRun()).toMatchObject({ state: 'done', tries: 1, summary: { files: 1 } });
    const again = await openAction(operator, PATH);
    expect([again.status, again.words]).toEqual([409, expect.stringContaining('was already made')]);
    expect(again.text).toContain('name="again"');
  });

  it('takes once more what lies in the folders when that is asked for', async () => {
    await world.drop('card', 'late.csv', lines([cardRow(2)]));
    const done = await doIt(operator, `${PATH}?again=yes`);
    expect([done.status, done.words]).toEqual([200, expect.stringContaining('Taken again: 1 file.')]);
    expect(Object.keys(await world.states())).toEqual(['june.csv', 'late.csv']);
  });

  it('does not close a day twice, nor run on what is not a business day', async () => {
    const closing = await openAction(operator, '/schedules/closing/do/run-now?again=yes');
    expect([closing.status, closing.words]).toEqual([409, expect.stringContaining('a day is closed only once')]);
    const never = await openAction(operator, '/schedules/never/do/run-now');
    expect([never.status, never.words]).toEqual([409, expect.stringContaining('is not a business day of it')]);
  });
});

describe('actions on outputs', () => {
  const world = openedForTests(openDashboardWorld);
  const nameOf = async (kind: 'result' | 'summary-txt') => Object.keys(await world.outputs(kind))[0] ?? '';
  const pathOf = (name: string) => join(world.settings.paths.out, name);
  let base: string;
  beforeAll(async () => {
    await world.drop('ach-charge', 'wanted.csv', lines(upTo(3).map((n) => achRow(n))));
    await world.finish();
    base = `/files/${(await fileNamed(world, 'wanted.csv')).file_id}/do`;
  });
  /** The tests build on each other. */
  describe('check-outputs', () => {
    it('says that every output is whole, and which one is not', async () => {
      const viewer = await world.as('viewer');
      const whole = await doIt(viewer, `${base}/check-outputs`, {});
      expect([whole.status, whole.words]).toEqual([200, expect.stringContaining('Every output is intact.')]);
      expect(linksOf(whole.text)).not.toContain(`${base}/rebuild-outputs`);
      const [result, summary] = [await nameOf('result'), await nameOf('summary-txt')];
      await writeFile(pathOf(result), 'changed');
      await rm(pathOf(summary));
      const broken = await doIt(viewer, `${base}/check-outputs`, {});
      expect(broken.words).toMatch(/2 of \d+ outputs are not intact\./);
      expect(broken.words).toContain(`${result} differs same`);
      expect(broken.words).toContain(`${summary} missing same`);
      expect(broken.words).toContain('Missing: it was moved or removed.');
      expect(broken.words).toContain('For another person: “Restore missing outputs”');
      expect(linksOf(broken.text)).not.toContain(`${base}/rebuild-outputs`);
      const again = await doIt(await world.as('operator'), `${base}/check-outputs`, {});
      expect(linksOf(again.text)).toContain(`${base}/rebuild-outputs`);
    });
  });
  describe('rebuild-outputs', () => {
    it('brings back what is missing and leaves alone what was changed', async () => {
      const operator = await world.as('operator');
      expect((await openAction(operator, `${base}/rebuild-outputs`)).words).toContain(
        'Files in the out folder are left alone',
      );
      const done = await doIt(operator, `${base}/rebuild-outputs`, {});
      const [result, summary] = [await nameOf('result'), await nameOf('summary-txt')];
      expect(done.words).toContain(`Restored: ${summary}.`);
      expect(await readFile(pathOf(summary), 'utf8')).toContain('wanted.csv');
      expect(await readFile(pathOf(result), 'utf8')).toBe('changed');
      expect((await doIt(operator, `${base}/rebuild-outputs`, {})).words).toContain('Nothing was restored.');
    });
  });
});
