import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import type { Folder } from '../../../src/config/config.ts';
import { takeFolders } from '../../../workers/schedule/schedule.ts';
import { openScheduleWorld, type ScheduleWorld } from '../support/schedule-world.ts';

let world: ScheduleWorld;
beforeAll(async () => {
  world = await openScheduleWorld();
});
afterAll(() => world.close());

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

describe('takeFolders', () => {
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
