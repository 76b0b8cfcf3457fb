import { beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../src/app.ts';
import type { Folder } from '../../src/config/config.ts';
import { runNow } from '../../src/actions/run-now.ts';
import { holdSchedule, runSchedule } from '../../workers/schedule/schedule.ts';
import { NOON, openScheduleWorld } from '../workers/support/schedule-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

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
  await runSchedule(app, { schedule: name });
});

const because = { actor: 'operator:ada', reason: 'requested by hand' };

async function states(): Promise<string[]> {
  return (await world.runs(name)).map(({ day, state, tries }) => `${day} ${state} ${tries}`);
}

describe('runNow', () => {
  it("makes today's run before its time, which is then not made again", async () => {
    await world.dropMarked(folder, 'a.csv');
    expect(await runNow(app, name, { because })).toMatchObject({
      is: 'made',
      day: '2026-06-15',
      run: { state: 'done', due_at: new Date(NOON), summary: { files: 1 } },
    });
    world.clock.set('2026-06-15T23:00:00Z');
    await runSchedule(app, { schedule: name });
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
    await runSchedule(app, { schedule: name });
    world.clock.set('2026-06-17T14:00:00Z');
    await runSchedule(app, { schedule: name });
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
