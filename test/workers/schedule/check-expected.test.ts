import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import { createFolderScanner } from '../../../src/files/scan-folder.ts';
import type { Folder } from '../../../src/config/config.ts';
import { checkExpected, expectationOf, expectedTimes } from '../../../workers/schedule/check-expected.ts';
import { lookAtFolder } from '../../../workers/watch/watch.ts';
import { openScheduleWorld, type ScheduleWorld } from '../support/schedule-world.ts';

let world: ScheduleWorld;
beforeAll(async () => {
  world = await openScheduleWorld();
});
afterAll(() => world.close());

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
  return world.logged.filter((line) => line['folder'] === folder.id && line.level === 50).map((line) => line.msg);
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
      `an expected file is late: no file had been taken from "${folder.id}" by 18:00 on 2026-06-15`,
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
