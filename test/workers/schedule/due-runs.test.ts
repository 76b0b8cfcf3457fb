import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import { beginRun } from '../../../src/ledger/schedule/begin-run.ts';
import { finishRun } from '../../../src/ledger/schedule/finish-run.ts';
import { countDueRuns, findDueRuns, windowMs } from '../../../workers/schedule/schedule.ts';
import { NOON, openScheduleWorld, type ScheduleWorld } from '../support/schedule-world.ts';

let world: ScheduleWorld;
beforeAll(async () => {
  world = await openScheduleWorld();
});
afterAll(() => world.close());

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

describe('findDueRuns', () => {
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
