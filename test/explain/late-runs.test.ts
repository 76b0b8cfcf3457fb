import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../src/app.ts';
import { createFolderScanner } from '../../src/files/scan-folder.ts';
import type { Folder } from '../../src/config/config.ts';
import { isLate, type LateRuns, readLateRuns } from '../../src/explain/late-runs.ts';
import { checkExpected } from '../../workers/schedule/check-expected.ts';
import { runSchedule } from '../../workers/schedule/schedule.ts';
import { lookAtFolder } from '../../workers/watch/watch.ts';
import { NOON, openScheduleWorld, type ScheduleWorld } from '../workers/support/schedule-world.ts';

let world: ScheduleWorld;
let folder: Folder;
let app: App;
beforeAll(async () => {
  world = await openScheduleWorld();
  folder = await world.makeFolder('drop/dues', { expect: { by: '18:00', days: ['mon', 'tue'], holidays: [] } });
  app = world.appWith({ nightly: { does: 'take', at: '22:00' } }, [folder]);
  world.clock.set(NOON);
  await runSchedule(app, { schedule: 'nightly' });
  await checkExpected(app);
});
afterAll(() => world.close());

function read(): Promise<LateRuns> {
  return readLateRuns(app.ledger, app.settings);
}

/** The tests build on each other. */
describe('readLateRuns', () => {
  it('finds nothing while nothing is late', async () => {
    const late = await read();
    expect(late).toEqual({ lateRuns: [], missingFiles: [] });
    expect(isLate(late)).toBe(false);
  });

  it('lists what was missed, and the file that did not come, with what to do', async () => {
    world.clock.set('2026-06-16T10:00:00Z');
    await runSchedule(app, { schedule: 'nightly' });
    await checkExpected(app);
    const late = await read();
    expect(late).toEqual({
      lateRuns: [
        {
          schedule: 'nightly',
          day: '2026-06-15',
          state: 'missed',
          dueAt: new Date('2026-06-15T22:00:00Z'),
          says: 'paydrop was not running at its time',
        },
      ],
      missingFiles: [{ folder: 'drop/dues', account: 'main', day: '2026-06-15', by: '18:00' }],
    });
    expect(isLate(late)).toBe(true);
  });

  it('lists the file no more once it has come, and nothing of what left the configuration', async () => {
    await world.dropMarked(folder, 'late.csv');
    await lookAtFolder(app, folder, createFolderScanner(folder, app.clock));
    expect(await read()).toMatchObject({ lateRuns: [{ day: '2026-06-15' }], missingFiles: [] });
    expect(await readLateRuns(app.ledger, { ...app.settings, schedules: {} })).toEqual({
      lateRuns: [],
      missingFiles: [],
    });
  });

  it('lists what happened a week ago at most', async () => {
    world.clock.set('2026-06-22T22:00:01Z');
    expect(await read()).toEqual({ lateRuns: [], missingFiles: [] });
  });
});
