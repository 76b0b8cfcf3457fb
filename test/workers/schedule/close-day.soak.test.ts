import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import { beginRun } from '../../../src/ledger/schedule/begin-run.ts';
import { checkExpected } from '../../../workers/schedule/check-expected.ts';
import { closeDay, type DayClose } from '../../../workers/schedule/close-day.ts';
import { runSchedule } from '../../../workers/schedule/schedule.ts';
import { openScheduleWorld, type ScheduleWorld } from '../support/schedule-world.ts';
import { takeInCharges } from '../support/story.ts';

let world: ScheduleWorld;
let app: App;
let out: string;
/** The day closes at 22:00 in Toronto on workdays. Each test gets its own ledger, because an account's days add up. */
beforeEach(async () => {
  world = await openScheduleWorld();
  const folder = await world.makeFolder('drop/main/ach-charge');
  const days: DayClose['days'] = ['mon', 'tue', 'wed', 'thu', 'fri'];
  const close = { does: 'day-close', at: '22:00', timeZone: 'America/Toronto', days, account: 'main' } as const;
  app = world.appWith({ close }, [folder], { timeZone: 'America/Toronto' });
  out = app.settings.paths.out;
  world.clock.set(at('2026-06-15', '12:00'));
  await run();
});
afterEach(() => world.close());

function run(): Promise<void> {
  return runSchedule(app, 'close');
}

/** Toronto is on summer time. */
function at(day: string, time: string): Date {
  return new Date(`${day}T${time}:00-04:00`);
}

/** Accepts rows of 25.00 each at this moment. */
async function accept(when: Date, rows: number, from: number): Promise<void> {
  world.clock.set(when);
  await takeInCharges(app, 'main', rows, from);
}

async function report(day: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(out, `day-close__main__${day}.json`), 'utf8')) as Record<string, unknown>;
}

describe('closeDay', () => {
  it('writes the day for people and for programs, balanced, with what is open', async () => {
    await accept(at('2026-06-15', '15:00'), 2, 1);
    world.clock.set(at('2026-06-15', '22:00'));
    await run();
    const text = await readFile(join(out, 'day-close__main__2026-06-15.txt'), 'utf8');
    expect(text).toContain(
      'Account main, 2026-06-15 (America/Toronto)\nFrom 2026-06-12 22:00:00 -04:00 until 2026-06-15 22:00:00 -04:00',
    );
    expect(text).toMatch(/Accepted, 1 file +2 /);
    expect(text).toMatch(/Difference +0 +0\.00/);
    expect(await report('2026-06-15')).toMatchObject({
      accepted: { files: 1, rows: 2 },
      open: { rows: 2 },
      difference: { rows: 0, total: '0.00' },
      openBatches: [{ rows: 2 }],
    });
    expect(await world.runs('close')).toMatchObject([
      {
        state: 'done',
        summary: {
          reports: ['day-close__main__2026-06-15.txt', 'day-close__main__2026-06-15.json'],
          open: { rows: 2 },
          difference: { rows: 0, total: '0.00' },
        },
      },
    ]);
  });

  it('goes on where the last close ended, over a weekend and over one that was missed', async () => {
    await accept(at('2026-06-15', '21:59'), 1, 1);
    world.clock.set(at('2026-06-15', '22:01'));
    await run();
    await accept(at('2026-06-15', '22:02'), 1, 11);
    await accept(at('2026-06-17', '15:00'), 1, 21);
    // The closes of Tuesday and Wednesday are missed.
    world.clock.set(at('2026-06-18', '12:00'));
    await run();
    world.clock.set(at('2026-06-18', '22:00'));
    await run();
    expect((await world.runs('close')).map(({ day, state }) => `${day} ${state}`)).toEqual([
      '2026-06-15 done',
      '2026-06-16 missed',
      '2026-06-17 missed',
      '2026-06-18 done',
    ]);
    expect(await report('2026-06-15')).toMatchObject({ accepted: { rows: 1 }, open: { rows: 1 } });
    expect(await report('2026-06-18')).toMatchObject({
      period: { from: '2026-06-15 22:00:00 -04:00', until: '2026-06-18 22:00:00 -04:00' },
      broughtForward: { rows: 1 },
      accepted: { files: 2, rows: 2 },
      open: { rows: 3 },
      difference: { rows: 0 },
    });
  });

  it('has a line for each expected file that had not come, also when it came later', async () => {
    const expect18 = { by: '18:00', days: ['mon' as const, 'tue' as const], holidays: [] };
    const folders = app.settings.folders.map((folder) => ({ ...folder, expect: expect18 }));
    app = { ...app, settings: { ...app.settings, folders } };
    await checkExpected(app);
    await accept(at('2026-06-15', '18:01'), 1, 1);
    world.clock.set(at('2026-06-15', '22:00'));
    await run();
    const missing = [{ folder: 'drop/main/ach-charge', day: '2026-06-15', by: '18:00' }];
    expect(await report('2026-06-15')).toMatchObject({ missingFiles: missing });
    expect(await readFile(join(out, 'day-close__main__2026-06-15.txt'), 'utf8')).toContain(
      '\n\nExpected files that had not come\ndrop/main/ach-charge, by 18:00 on 2026-06-15\n\n',
    );
    await accept(at('2026-06-16', '17:59'), 1, 11);
    world.clock.set(at('2026-06-16', '22:00'));
    await run();
    expect(await report('2026-06-16')).toMatchObject({ missingFiles: [] });
  });

  it('says a difference in the log and in what there is to say of the run', async () => {
    await accept(at('2026-06-15', '15:00'), 2, 1);
    await app.ledger.pool.query('UPDATE file SET valid_rows = valid_rows + 1');
    world.clock.set(at('2026-06-15', '22:00'));
    await run();
    expect(await world.runs('close')).toMatchObject([{ state: 'done', summary: { difference: { rows: 1 } } }]);
    expect(world.logged).toContainEqual(
      expect.objectContaining({
        level: 'error',
        account: 'main',
        rows: 1,
        msg: expect.stringContaining('does not balance'),
      }),
    );
  });

  it('keeps the report that a worker has written who died before he could say so', async () => {
    const schedule = app.settings.schedules['close'] as DayClose;
    await accept(at('2026-06-15', '15:00'), 2, 1);
    world.clock.set(at('2026-06-15', '22:00'));
    const due = { day: '2026-06-15', at: at('2026-06-15', '22:00') };
    const begun = await beginRun(app.ledger, 'close', due, { actor: 'worker:schedule', reason: 'its time has come' });
    await closeDay(app, schedule, begun!);
    const written = await readFile(join(out, 'day-close__main__2026-06-15.txt'), 'utf8');
    // By now the open part would read differently.
    await app.ledger.pool.query(`UPDATE batch SET state = 'cancelled', final_at = $1`, [world.clock.now()]);
    await run();
    expect(await world.runs('close')).toMatchObject([{ state: 'done', tries: 2 }]);
    expect(await readFile(join(out, 'day-close__main__2026-06-15.txt'), 'utf8')).toBe(written);
  });

  it("fails on somebody else's file of that name, which stays, and is made once it is gone", async () => {
    await writeFile(join(out, 'day-close__main__2026-06-15.txt'), 'mine');
    world.clock.set(at('2026-06-15', '22:00'));
    await run();
    expect(await world.runs('close')).toMatchObject([
      { state: 'failed', summary: { says: expect.stringContaining('exists with other content') } },
    ]);
    expect(await readdir(out)).toEqual(['day-close__main__2026-06-15.txt']);
    expect(await readFile(join(out, 'day-close__main__2026-06-15.txt'), 'utf8')).toBe('mine');
    await rm(join(out, 'day-close__main__2026-06-15.txt'));
    world.clock.advance(300_000);
    await run();
    expect(await world.runs('close')).toMatchObject([{ state: 'done', tries: 2 }]);
    expect(await report('2026-06-15')).toMatchObject({ day: '2026-06-15' });
  });
});
