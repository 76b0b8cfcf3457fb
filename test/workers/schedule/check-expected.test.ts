import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openedForTests } from '../../support/opened-for-tests.ts';
import type { App } from '../../../src/app.ts';
import { createFolderScanner } from '../../../src/files/scan-folder.ts';
import type { Folder } from '../../../src/config/config.ts';
import { checkExpected, expectationOf, expectedTimes } from '../../../workers/schedule/check-expected.ts';
import { lookAtFolder } from '../../../workers/watch/watch.ts';
import { NOON, openScheduleWorld } from '../support/schedule-world.ts';
import { beginRun, finishRun } from '../../../src/ledger/schedule/begin-run.ts';
import { countDueRuns, findDueRuns, takeFolders, windowMs } from '../../../workers/schedule/schedule.ts';
import { readDayReport } from '../../../workers/schedule/read-day-report.ts';
import { balanceDay } from '../../../src/reconcile/balance-day.ts';
import { openTestLedger } from '../../support/ledger-world.ts';

const world = openedForTests(openScheduleWorld);

let tests = 0;
let folder: Folder;
let app: App;
/** A file is expected by 18:00 in Toronto on workdays; the first check is on Monday, 8:00 there. */
beforeEach(async () => {
  tests += 1;
  const expect = { by: '18:00', days: ['mon', 'tue', 'wed', 'thu', 'fri'], holidays: ['2026-06-17'] } as const;
  folder = await world.makeFolder(`drop/dues-${tests}`, {
    expect: { ...expect, days: [...expect.days], holidays: [...expect.holidays] },
  });
  app = world.appWith({}, [folder, await world.makeFolder(`drop/none-${tests}`)], { timeZone: 'America/Toronto' });
  world.clock.set('2026-06-15T12:00:00Z');
  await checkExpected(app);
});

async function take(name: string): Promise<void> {
  await world.dropMarked(folder, name);
  await lookAtFolder(app, folder, createFolderScanner(folder, app.clock));
}

async function states(): Promise<string[]> {
  return (await world.runs(expectationOf(folder.id))).map(({ day, state }) => `${day} ${state}`);
}

function alarms(): string[] {
  return world.logged.filter((line) => line['folder'] === folder.id && line.level === 'error').map((line) => line.msg);
}

describe('checkExpected', () => {
  it('says nothing before the time, and nothing of a file that has come', async () => {
    await take('june.csv');
    world.clock.set('2026-06-15T21:59:59Z');
    await checkExpected(app);
    expect(await states()).toEqual([]);
    world.clock.set('2026-06-15T22:00:00Z');
    await checkExpected(app);
    expect(await states()).toEqual(['2026-06-15 done']);
    expect(alarms()).toEqual([]);
  });

  it('raises one alarm for a file that has not, however many look and however often', async () => {
    const other = await world.onAnotherHost(app);
    world.clock.set('2026-06-15T22:00:00Z');
    await Promise.all([app, other, app, other].map(checkExpected));
    await take('late.csv');
    await checkExpected(app);
    expect(await states()).toEqual(['2026-06-15 missed']);
    expect(alarms()).toEqual([
      `an expected file is late: no file was taken from "${folder.id}" by 18:00 on 2026-06-15`,
    ]);
  });

  it('expects one on each business date, and takes that of yesterday for none of today', async () => {
    await take('monday.csv');
    world.clock.set('2026-06-16T14:00:00Z');
    await checkExpected(app);
    world.clock.set('2026-06-19T12:00:00Z');
    await checkExpected(app);
    expect(await states()).toEqual(['2026-06-15 done', '2026-06-16 missed', '2026-06-18 missed']);
  });
});

describe('expectedTimes', () => {
  it('are those of the folder in the zone of its account, none where nothing is expected', () => {
    expect(expectedTimes(app.settings, folder)).toMatchObject({ at: '18:00', timeZone: 'America/Toronto' });
    expect(expectedTimes(app.settings, { ...folder, account: 'gone' })).toMatchObject({ timeZone: 'UTC' });
    expect(expectedTimes(app.settings, app.settings.folders[1]!)).toBeUndefined();
  });
});

describe('findDueRuns', () => {
  const world = openedForTests(openScheduleWorld);

  let tests = 0;
  let name: string;
  let app: App;
  /** Each test gets its own schedule, first seen on Monday noon. */
  beforeEach(async () => {
    tests += 1;
    name = `nightly-${tests}`;
    app = world.appWith({ [name]: { does: 'take', at: '22:00' } });
    world.clock.set(NOON);
    expect(await due()).toEqual([]);
  });

  async function due(by: App = app): Promise<string[]> {
    const runs = await findDueRuns(by, name, by.settings.schedules[name]!);
    return runs.map(({ day, found }) => `${day}${found ? ` ${found.state}` : ''}`);
  }

  const because = { actor: 'worker:schedule', reason: 'its time has come' };
  const MONDAY = { day: '2026-06-15', at: new Date('2026-06-15T22:00:00Z') };

  it('catches up nothing from before the schedule was first seen, and everything from then on', async () => {
    world.clock.set('2026-06-17T22:00:00Z');
    expect(await due()).toEqual(['2026-06-15', '2026-06-16', '2026-06-17']);
    expect(await countDueRuns(app)).toBe(3);
  });

  it('gives what is being made, and what comes behind it', async () => {
    await beginRun(app.ledger, name, MONDAY, because);
    world.clock.set('2026-06-16T22:00:00Z');
    expect(await due()).toEqual(['2026-06-15 running', '2026-06-16']);
    expect(await countDueRuns(app)).toBe(2);
  });

  it('gives what failed once it has waited, and does not count it: nobody waits for that', async () => {
    world.clock.set('2026-06-15T22:00:00Z');
    const run = await beginRun(app.ledger, name, MONDAY, because);
    await finishRun(app.ledger, run!, 'failed', because);
    expect(await due()).toEqual([]);
    world.clock.advance(300_000);
    expect(await due()).toEqual(['2026-06-15 failed']);
    expect(await countDueRuns(app)).toBe(0);
    world.clock.set('2026-06-16T02:00:00Z');
    expect(await due()).toEqual([]);
  });

  it('asks of a schedule whose times were changed only for what may still be made', async () => {
    world.clock.set('2026-06-19T23:00:00Z');
    const changed = world.appWith({ [name]: { does: 'take', at: '20:00' } });
    expect(await due(changed)).toEqual(['2026-06-19']);
  });

  it('knows the window in ms', () => {
    expect(windowMs({ windowMinutes: 240 })).toBe(14_400_000);
  });
});

describe('takeFolders', () => {
  const world = openedForTests(openScheduleWorld);

  const NEVER = new Date('2030-01-01T00:00:00Z');
  const SCHEDULES = { nightly: { does: 'take', at: '22:00' } } as const;

  let tests = 0;
  let own: Folder;
  let other: Folder;
  let app: App;
  beforeEach(async () => {
    tests += 1;
    own = await world.makeFolder(`drop/own-${tests}`, { schedule: 'nightly' });
    other = await world.makeFolder(`drop/other-${tests}`);
    app = world.appWith(SCHEDULES, [own, other]);
    world.clock.advance(1);
  });

  /** Returns an app whose clock advances with each reading, so that quiet drops settle. */
  function ticking(): App {
    const clock = { now: () => (world.clock.advance(40), world.clock.now()) };
    return { ...app, clock, settings: { ...app.settings, rescanMs: 50 } };
  }

  it('takes what lies in the folders of the schedule and in no other', async () => {
    for (const name of ['a.csv', 'b.csv']) await world.dropMarked(own, name);
    await world.dropMarked(other, 'c.csv');
    expect(await takeFolders(app, 'nightly', NEVER)).toEqual({ files: 2, settling: 0 });
    expect(await readdir(own.path)).toEqual([]);
    expect(await readdir(other.path)).toEqual(['c.csv', 'c.csv.done']);
    world.clock.advance(1);
    expect(await takeFolders(app, 'nightly', NEVER)).toEqual({ files: 0, settling: 0 });
  });

  it('waits until what is being written has settled', async () => {
    const quiet = { ...own, complete: { by: 'quiet', quietMs: 200, probes: 2 } } as const;
    app = world.appWith(SCHEDULES, [quiet]);
    await writeFile(join(own.path, 'growing.csv'), 'INV-1,C1,25.00,dues\n');
    expect(await takeFolders(ticking(), 'nightly', NEVER)).toEqual({ files: 1, settling: 0 });
  });

  const NEVER_QUIET = { by: 'quiet', quietMs: 3_600_000_000, probes: 2 } as const;

  it('gives up when its time is over, and says how many are left', async () => {
    app = world.appWith(SCHEDULES, [{ ...own, complete: NEVER_QUIET }]);
    await writeFile(join(own.path, 'growing.csv'), 'INV-1,C1,25.00,dues\n');
    const until = new Date(world.clock.now().getTime() + 500);
    expect(await takeFolders(ticking(), 'nightly', until)).toEqual({ files: 0, settling: 1 });
    expect(await readdir(own.path)).toEqual(['growing.csv']);
  });

  it('breaks off when it is stopped, without waiting', async () => {
    app = world.appWith(SCHEDULES, [{ ...own, complete: NEVER_QUIET }]);
    await writeFile(join(own.path, 'growing.csv'), 'INV-1,C1,25.00,dues\n');
    const stop = new AbortController();
    const taking = takeFolders(app, 'nightly', NEVER, stop.signal);
    stop.abort();
    expect(await taking).toBeUndefined();
  });

  it('one folder that is not there keeps no other from being taken', async () => {
    const gone = { ...own, id: 'drop/gone', path: join(world.root, 'drop', 'gone') };
    app = world.appWith(SCHEDULES, [gone, own]);
    await world.dropMarked(own, 'a.csv');
    expect(await takeFolders(app, 'nightly', NEVER)).toEqual({ files: 1, settling: 0 });
  });
});

const ledgerWorld = openedForTests(openTestLedger);

const NEW_YORK = { name: 'main', timeZone: 'America/New_York' };

describe('readDayReport', () => {
  it.each([
    ['2026-03-07', '2026-03-08T04:59:59.999Z', '2026-03-08T05:00:00.000Z'],
    ['2026-03-08', '2026-03-09T03:59:59.999Z', '2026-03-09T04:00:00.000Z'],
    ['2026-11-01', '2026-11-02T04:59:59.999Z', '2026-11-02T05:00:00.000Z'],
    ['2026-12-31', '2027-01-01T04:59:59.999Z', '2027-01-01T05:00:00.000Z'],
  ])('%s ends where the next day begins there', async (day, last, next) => {
    await ledgerWorld.empty();
    for (const at of [last, next]) {
      ledgerWorld.clock.set(at);
      await ledgerWorld.accepted({ account: 'main' });
    }
    const report = await readDayReport(ledgerWorld.ledger, NEW_YORK, day);
    expect(report).toMatchObject({ day, account: 'main', accepted: { files: 1, rows: 2 }, open: { rows: 2 } });
    expect(balanceDay(report)).toEqual({ rows: 0, cents: 0 });
  });

  it('says whether the day is over, and times in the zone of the account', async () => {
    await ledgerWorld.empty();
    await ledgerWorld.accepted({ account: 'main' });
    const report = await readDayReport(ledgerWorld.ledger, NEW_YORK, '2026-06-15');
    expect(report.isOver).toBe(false);
    expect(report.openBatches).toMatchObject([{ acceptedAt: '2026-06-15 06:00:00 -04:00', stateNow: 'ready' }]);
    ledgerWorld.clock.set('2026-06-16T04:00:00Z');
    expect((await readDayReport(ledgerWorld.ledger, NEW_YORK, '2026-06-15')).isOver).toBe(true);
  });

  it('knows the zones that left out a day of the calendar', async () => {
    const samoa = { name: 'main', timeZone: 'Pacific/Apia' };
    expect((await readDayReport(ledgerWorld.ledger, samoa, '2011-12-29')).accepted.files).toBe(0);
    await expect(readDayReport(ledgerWorld.ledger, samoa, '2011-12-30')).rejects.toMatchObject({ code: 'USAGE' });
  });

  it.each(['', 'today', '2026-02-30', '2026-6-5', '20261120'])('refuses the day %j', async (day) => {
    await expect(readDayReport(ledgerWorld.ledger, NEW_YORK, day)).rejects.toMatchObject({ code: 'USAGE' });
  });
});
