import { beforeEach, describe, expect, it } from 'vitest';
import { openedForTests } from '../../support/opened-for-tests.ts';
import type { App } from '../../../src/app.ts';
import { beginRun, finishRun } from '../../../src/ledger/schedule/begin-run.ts';
import { runSchedule } from '../../../workers/schedule/schedule.ts';
import { cutAtStatement, POWER_CUT } from '../support/step-world.ts';
import { NOON, openScheduleWorld } from '../support/schedule-world.ts';

const world = openedForTests(openScheduleWorld);

let tests = 0;
let schedule: string;
let app: App;
/** Each test gets its own schedule, first seen on Monday noon, that takes files at 22:00 UTC on workdays. */
beforeEach(async () => {
  tests += 1;
  schedule = `nightly-${tests}`;
  const days = ['mon', 'tue', 'wed', 'thu', 'fri'] as const;
  app = world.appWith({ [schedule]: { does: 'take', at: '22:00', days: [...days], holidays: ['2026-06-17'] } });
  world.clock.set(NOON);
  await run();
});

function run(by: App = app, stop?: AbortSignal): Promise<void> {
  return runSchedule(by, schedule, stop);
}

const because = { actor: 'worker:schedule', reason: 'its time has come' };
const MONDAY = { day: '2026-06-15', at: new Date('2026-06-15T22:00:00Z') };

describe('runSchedule', () => {
  it('makes nothing before its time, one run when it has come, and no other on that day', async () => {
    world.clock.set('2026-06-15T21:59:59.999Z');
    await run();
    expect(await world.runs(schedule)).toEqual([]);
    world.clock.set('2026-06-15T22:00:00.000Z');
    await run();
    const done = { day: '2026-06-15', state: 'done', tries: 1, summary: { says: 'made', files: 0, settling: 0 } };
    expect(await world.runs(schedule)).toEqual([done]);
    for (const at of ['2026-06-15T22:00:00Z', '2026-06-15T23:59:59Z', '2026-06-16T21:59:59Z']) {
      world.clock.set(at);
      await run();
    }
    expect(await world.runs(schedule)).toEqual([done]);
  });

  it('asked by many at once on two hosts makes one run, once', async () => {
    const other = await world.onAnotherHost(app);
    world.clock.set('2026-06-15T22:00:01Z');
    await Promise.all(Array.from({ length: 8 }, (_, index) => run(index % 2 ? app : other)));
    expect(await world.runs(schedule)).toMatchObject([{ state: 'done', tries: 1 }]);
  });

  it('makes a run that was missed while its window lasts, and says so when it does not any more', async () => {
    world.clock.set('2026-06-16T02:00:00.000Z');
    await run();
    world.clock.set('2026-06-18T00:00:00.000Z');
    await run();
    world.clock.set('2026-06-19T02:00:00.001Z');
    await run();
    expect(await world.runs(schedule)).toMatchObject([
      { day: '2026-06-15', state: 'done' },
      { day: '2026-06-16', state: 'missed', summary: { says: 'paydrop was not running at its time' } },
      { day: '2026-06-18', state: 'missed' },
    ]);
    const said = world.logged.filter((line) => line['schedule'] === schedule && line.level === 'error');
    expect(said.map((line) => line['day'])).toEqual(['2026-06-16', '2026-06-18']);
  });

  it('takes over the run of a worker that died in it', async () => {
    const other = await world.onAnotherHost(app);
    world.clock.set('2026-06-15T22:00:01Z');
    await beginRun(other.ledger, schedule, MONDAY, because);
    await run();
    expect(await world.runs(schedule)).toMatchObject([{ state: 'done', tries: 2 }]);
  });

  it('does not make the run of a dead worker when its window is over: it has failed', async () => {
    world.clock.set('2026-06-15T22:00:01Z');
    await beginRun(app.ledger, schedule, MONDAY, because);
    world.clock.set('2026-06-16T02:00:01Z');
    await run();
    expect(await world.runs(schedule)).toMatchObject([
      { state: 'failed', tries: 1, summary: { says: 'its worker died, and its time is over' } },
    ]);
  });

  it.each([
    ['before it was begun', /INSERT INTO schedule_run/, 1],
    ['before its end was written', /UPDATE schedule_run/, 2],
  ])('is made in the end when the process dies %s', async (_when, sql, tries) => {
    world.clock.set('2026-06-15T22:00:01Z');
    const cut = cutAtStatement(app, sql);
    // After an error the worker tries once more to record an end, which a dead process cannot.
    const dying = {
      ...cut.app,
      log: {
        ...cut.app.log,
        error: () => {
          throw new Error(POWER_CUT);
        },
      },
    } as unknown as App;
    await expect(run(dying)).rejects.toThrow(POWER_CUT);
    await run();
    expect(await world.runs(schedule)).toMatchObject([{ state: 'done', tries }]);
  });

  it('tries a run that failed again after a while, as long as its window lasts', async () => {
    const failed = async () => (await world.runs(schedule)).map(({ state, tries }) => `${state} ${tries}`);
    world.clock.set('2026-06-15T22:00:01Z');
    const begun = await beginRun(app.ledger, schedule, MONDAY, because);
    await finishRun(app.ledger, begun!, 'failed', because);
    world.clock.advance(299_999);
    await run();
    expect(await failed()).toEqual(['failed 1']);
    world.clock.advance(1);
    await run();
    expect(await failed()).toEqual(['done 2']);
  });

  it('leaves a run that failed as it is when its window is over', async () => {
    const begun = await beginRun(app.ledger, schedule, MONDAY, because);
    await finishRun(app.ledger, begun!, 'failed', because);
    world.clock.set('2026-06-16T02:00:01Z');
    await run();
    expect(await world.runs(schedule)).toMatchObject([{ state: 'failed', tries: 1 }]);
  });

  it('is not confused by a clock that is set back', async () => {
    world.clock.set('2026-06-16T22:00:00Z');
    await run();
    world.clock.set('2026-06-15T12:00:00Z');
    await run();
    world.clock.set('2026-06-16T22:30:00Z');
    await run();
    expect((await world.runs(schedule)).map(({ day, state }) => `${day} ${state}`)).toEqual([
      '2026-06-15 missed',
      '2026-06-16 done',
    ]);
  });

  it('makes the runs that a clock which was far ahead has called missed', async () => {
    world.clock.set('2027-07-20T12:00:00Z');
    await run();
    world.clock.set('2026-06-15T21:59:59Z');
    await run();
    const days = async () => (await world.runs(schedule)).filter(({ state }) => state === 'done').map(({ day }) => day);
    expect(await days()).toEqual([]);
    for (const day of ['2026-06-15', '2026-06-16']) {
      world.clock.set(`${day}T22:00:00Z`);
      await run();
      await run();
    }
    expect(await days()).toEqual(['2026-06-15', '2026-06-16']);
  });

  it('stops before the next run, and passes over a schedule that is not there', async () => {
    world.clock.set('2026-06-15T22:00:01Z');
    await run(app, AbortSignal.abort());
    for (const name of ['gone', 'constructor']) await runSchedule(app, name);
    expect(await world.runs(schedule)).toEqual([]);
  });
});
