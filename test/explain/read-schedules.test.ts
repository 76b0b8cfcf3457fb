import { describe, expect, it } from 'vitest';
import { readSchedules } from '../../src/explain/read-schedules.ts';
import { runSchedule } from '../../workers/schedule/schedule.ts';
import { runNow } from '../../src/actions/run-now.ts';
import { NOON, openScheduleWorld } from '../workers/support/schedule-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

const world = openedForTests(openScheduleWorld);

/** The tests build on each other; each schedule lives through them. */
describe('readSchedules', () => {
  const schedules = {
    nightly: { does: 'take', at: '22:00', timeZone: 'America/Toronto' },
    close: { does: 'day-close', at: '23:00', account: 'main', days: ['mon', 'tue'] },
  } as const;
  const appHere = () => world.appWith(structuredClone(schedules) as never);
  const lineOf = async (name: string) => {
    const { ledger, settings } = appHere();
    return (await readSchedules(ledger, settings)).find((line) => line.name === name);
  };

  it('says when each runs next, by its own zone and days, and that it has not run', async () => {
    world.clock.set(NOON);
    expect(await lineOf('nightly')).toEqual({
      name: 'nightly',
      does: 'take',
      timeZone: 'America/Toronto',
      nextAt: new Date('2026-06-16T02:00:00Z'),
      last: null,
    });
    expect(await lineOf('close')).toMatchObject({ does: 'day-close', nextAt: new Date('2026-06-15T23:00:00Z') });
  });

  it('names the run after, when that of today was made early by hand', async () => {
    const app = appHere();
    await runSchedule(app, { schedule: 'nightly' });
    await runNow(app, 'nightly', {
      because: { actor: 'operator:ada', reason: 'early' },
      again: false,
      stop: new AbortController().signal,
    });
    expect(await lineOf('nightly')).toMatchObject({
      nextAt: new Date('2026-06-17T02:00:00Z'),
      last: { day: '2026-06-15', state: 'done' },
    });
  });

  it('says what became of the last run', async () => {
    const app = appHere();
    await runSchedule(app, { schedule: 'close' });
    world.clock.set('2026-06-16T12:00:00Z');
    await runSchedule(app, { schedule: 'close' });
    expect(await lineOf('close')).toMatchObject({
      nextAt: new Date('2026-06-16T23:00:00Z'),
      last: { day: '2026-06-15', state: 'missed' },
    });
  });

  it('has nothing to say where there are no schedules', async () => {
    expect(await readSchedules(world.app.ledger, { schedules: {} })).toEqual([]);
  });
});
