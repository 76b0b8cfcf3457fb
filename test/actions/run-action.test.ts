import { appendFile } from 'node:fs/promises';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { pauseAccount, resumeAccount } from '../../src/ledger/account/pause-account.ts';
import { readBatchRow } from '../../src/ledger/file/read-file.ts';
import {
  handlerOf,
  planAction,
  runAction,
  shownPlan,
  type SubjectFinder,
  subjectOf,
} from '../../src/actions/run-action.ts';
import { findBatch } from '../../src/explain/batch-reference.ts';
import { findFile } from '../../src/ledger/file/search.ts';
import { achRow, lines, upTo } from '../support/payment-rows.ts';
import { openPipelineWorld } from '../support/pipeline-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import type { App } from '../../src/app.ts';
import type { Folder } from '../../src/config/config.ts';
import { runNow } from '../../src/actions/run-now.ts';
import { holdSchedule, runSchedule } from '../../workers/schedule/schedule.ts';
import { NOON, openScheduleWorld } from '../workers/support/schedule-world.ts';

describe('run action', () => {
  const ADA = { actor: 'operator:ada', filled: {} };

  const world = openedForTests(() => openPipelineWorld({ settings: { batch: { maxRows: 2 } } }));
  beforeAll(async () => {
    await pauseAccount(world.app.ledger, 'main', { actor: 'operator:ada', reason: 'wait' });
    for (const [index, name] of ['bound.csv', 'forgotten.csv'].entries())
      await world.drop('ach-charge', name, lines(upTo(2).map((n) => achRow(10 * index + n))));
    await world.finish();
  });

  /** Finds a file, or its first batch. */
  function finderOf(name: string): SubjectFinder {
    return async (kind) =>
      kind === 'batch'
        ? { kind, ...(await findBatch(world.app.ledger, `${name}/1`)) }
        : { kind: 'file', file: await fileNamed(name) };
  }

  function fileNamed(name: string) {
    return findFile(world.app.ledger, name);
  }

  async function firstBatch(name: string) {
    return readBatchRow(world.app.ledger, { fileId: (await fileNamed(name)).file_id, batchNo: 1 });
  }

  describe('planAction and runAction', () => {
    it('give the same mark to the same plan, and another to another', async () => {
      const find = finderOf('bound.csv');
      const [one, two] = [
        await planAction(world.app, 'cancel', find, ADA),
        await planAction(world.app, 'cancel', find, ADA),
      ];
      expect(one.bind).toBe(two.bind);
      const other = await planAction(world.app, 'cancel', finderOf('forgotten.csv'), ADA);
      expect(other.bind).not.toBe(one.bind);
    });

    it('do nothing for a mark of another plan, and do it without one, as a program may', async () => {
      const find = finderOf('bound.csv');
      const order = { ...ADA, reason: 'recalled' };
      const changed = await runAction(world.app, 'cancel-batch', find, { ...order, bind: 'another' });
      expect(changed).toMatchObject({ result: 'changed', plan: { button: 'Cancel 2 rows, 50.00 USD' } });
      expect((await firstBatch('bound.csv')).state).toBe('ready');
      const done = await runAction(world.app, 'cancel-batch', find, order);
      expect(done).toMatchObject({ result: 'done', done: { json: { cancelled: [1], state: 'cancelled' } } });
    });

    it('find the subject once, also where a plan was seen', async () => {
      const find = vi.fn<SubjectFinder>(async () => ({ kind: 'account', account: 'main' }));
      const { bind } = await planAction(world.app, 'resume', find, ADA);
      find.mockClear();
      const result = await runAction(world.app, 'resume', find, { ...ADA, reason: 'well', bind });
      expect([result.result, find.mock.calls]).toEqual(['done', [['account']]]);
      await pauseAccount(world.app.ledger, 'main', { actor: 'operator:ada', reason: 'wait' });
    });

    it('refuse one whose plan says that it cannot be done, in words of its own', async () => {
      const { ledger } = world.app;
      await resumeAccount(ledger, 'main', { actor: 'operator:ada', reason: 'well' });
      const find: SubjectFinder = async () => ({ kind: 'account', account: 'main' });
      const { bind, plan } = await planAction(world.app, 'resume', find, ADA);
      expect(shownPlan({ plan, bind })).toEqual({ says: plan.says, facts: [], barred: 'no action is needed', bind });
      await expect(runAction(world.app, 'resume', find, { ...ADA, reason: 'well', bind })).rejects.toMatchObject({
        code: 'MOVE_REFUSED',
        message: 'Cannot do "Resume": no action is needed. Nothing was changed.',
      });
      await pauseAccount(ledger, 'main', { actor: 'operator:ada', reason: 'wait' });
    });

    it.each([
      ['no reason', {}],
      ['an empty one', { reason: '  ' }],
    ])('refuse %s, where one is asked for', async (_, reason) => {
      const order = { ...ADA, ...reason };
      await expect(runAction(world.app, 'cancel', finderOf('forgotten.csv'), order)).rejects.toMatchObject({
        code: 'USAGE',
      });
      expect((await fileNamed('forgotten.csv')).state).toBe('accepted');
    });

    it('compare the send journal first, so that nobody cancels as never sent what was sent', async () => {
      const find = finderOf('forgotten.csv');
      const { file_id: fileId } = await fileNamed('forgotten.csv');
      const seen = await planAction(world.app, 'cancel-batch', find, ADA);
      const { body_sha256: sha256 } = await firstBatch('forgotten.csv');
      const entry = {
        at: new Date().toISOString(),
        account: 'main',
        fileId,
        batchNo: 1,
        attempt: 1,
        sha256,
      };
      await appendFile(world.settings.paths.journal, `\n${JSON.stringify(entry)}`);
      const order = { ...ADA, reason: 'recalled', bind: seen.bind };
      await expect(runAction(world.app, 'cancel-batch', find, order)).rejects.toMatchObject({
        code: 'MOVE_REFUSED',
        message: expect.stringContaining('its state is in doubt'),
      });
      expect((await firstBatch('forgotten.csv')).state).toBe('unknown');
    });
  });

  describe('subjectOf', () => {
    it('refuses a state in which the action cannot begin, with where to look', async () => {
      const find = finderOf('bound.csv');
      await expect(subjectOf([], 'approve', find)).rejects.toMatchObject({
        code: 'MOVE_REFUSED',
        message: expect.stringContaining('its state is cancelled; it must be needs approval'),
      });
      expect(await subjectOf([], 'check-outputs', find)).toMatchObject({ kind: 'file' });
    });
  });

  describe('handlerOf', () => {
    it('says to what the action is done', () => {
      expect(handlerOf([], 'pause')).toMatchObject({ to: 'account' });
      expect(handlerOf([], 'retry')).toMatchObject({ to: 'batch', from: ['refused'] });
    });
  });
});

describe('runNow', () => {
  const world = openedForTests(openScheduleWorld);

  let tests = 0;
  let name: string;
  let folder: Folder;
  let app: App;
  /** Each test gets its own schedule, first seen on Monday noon, that takes files at 22:00 on workdays. */
  beforeEach(async () => {
    tests += 1;
    name = `nightly-${tests}`;
    folder = await world.makeFolder(`drop/${name}`, { schedule: name });
    app = world.appWith({ [name]: { does: 'take', at: '22:00', days: ['mon', 'tue', 'wed', 'thu', 'fri'] } }, [folder]);
    world.clock.set(NOON);
    await runSchedule(app, name);
  });

  const because = { actor: 'operator:ada', reason: 'requested by hand' };

  async function states(): Promise<string[]> {
    return (await world.runs(name)).map(({ day, state, tries }) => `${day} ${state} ${tries}`);
  }

  it("makes today's run before its time, which is then not made again", async () => {
    await world.dropMarked(folder, 'a.csv');
    expect(await runNow(app, name, { because })).toMatchObject({
      is: 'made',
      day: '2026-06-15',
      run: { state: 'done', due_at: new Date(NOON), summary: { files: 1 } },
    });
    world.clock.set('2026-06-15T23:00:00Z');
    await runSchedule(app, name);
    expect(await states()).toEqual(['2026-06-15 done 1']);
  });

  it('does nothing when it was made, unless it is to take again', async () => {
    await runNow(app, name, { because });
    await world.dropMarked(folder, 'late.csv');
    world.clock.advance(1);
    expect(await runNow(app, name, { because })).toMatchObject({ is: 'made before', run: { summary: { files: 0 } } });
    expect(await runNow(app, name, { because, again: true })).toEqual({
      is: 'taken again',
      day: '2026-06-15',
      taken: { files: 1, settling: 0 },
    });
    expect(await states()).toEqual(['2026-06-15 done 1']);
    const { rows } = await app.ledger.pool.query(
      `SELECT actor, move FROM audit WHERE evidence->>'schedule' = $1 ORDER BY seq`,
      [name],
    );
    expect(rows).toEqual([
      { actor: 'operator:ada', move: 'begin-run' },
      { actor: 'worker:schedule', move: 'finish-run' },
      { actor: 'operator:ada', move: 'take-again' },
    ]);
  });

  it('makes up on the same day what was missed, and reports first what was missed before', async () => {
    name = `morning-${tests}`;
    app = world.appWith({ [name]: { does: 'take', at: '08:00' } }, [folder]);
    await runSchedule(app, name);
    world.clock.set('2026-06-17T14:00:00Z');
    await runSchedule(app, name);
    expect((await states()).at(-1)).toBe('2026-06-17 missed 0');
    expect(await runNow(app, name, { because })).toMatchObject({ is: 'made', run: { state: 'done' } });
    expect((await states()).at(-1)).toBe('2026-06-17 done 1');

    world.clock.set('2026-06-19T10:00:00Z');
    expect(await runNow(app, name, { because })).toMatchObject({ is: 'made', run: { state: 'done' } });
    expect((await states()).slice(-2)).toEqual(['2026-06-18 missed 0', '2026-06-19 done 1']);
  });

  it('does nothing on a day that is not a business day', async () => {
    world.clock.set('2026-06-20T12:00:00Z');
    expect(await runNow(app, name, { because })).toEqual({ is: 'no business day', day: '2026-06-20' });
    expect((await states()).filter((state) => state.startsWith('2026-06-20'))).toEqual([]);
  });

  it('goes away while somebody else makes it', async () => {
    const other = await world.onAnotherHost(app);
    const held = await holdSchedule(other, name, () => runNow(app, name, { because }));
    expect(held).toEqual({ result: { is: 'busy', day: '2026-06-15' } });
    expect(await states()).toEqual([]);
  });

  it('refuses a schedule that is not there, and to close a day again', async () => {
    await expect(runNow(app, 'weekly', { because })).rejects.toThrow(`There are: ${name}.`);
    const closing = world.appWith({ close: { does: 'day-close', at: '22:00', account: 'main' } });
    await expect(runNow(closing, 'close', { because, again: true })).rejects.toMatchObject({ code: 'USAGE' });
  });
});
