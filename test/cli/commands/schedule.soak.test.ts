import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { WEEKDAYS } from '../../../schemas/config-parts.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { openCliWorld } from '../support/cli-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

/** Today in UTC, by the system clock, which the command line reads. */
const today = WEEKDAYS[(new Date().getUTCDay() + 6) % 7]!;
const others = WEEKDAYS.filter((day) => day !== today);
const farDay = WEEKDAYS[(new Date().getUTCDay() + 2) % 7]!;

const world = openedForTests(() =>
  openCliWorld({
    account: { window: { from: '10:00', to: '10:01', days: [farDay] } },
    folder: { schedule: 'nightly' },
    settings: {
      schedules: {
        nightly: { does: 'take', at: '23:59' },
        elsewhen: { does: 'take', at: '23:59', days: others },
        close: { does: 'day-close', at: '23:59', account: 'main' },
      },
    },
  }),
);
beforeAll(async () => {
  await mkdir(join(world.root, 'out'), { recursive: true });
});

/** The tests build on each other. */
describe('schedule', () => {
  it('list says what each does, when next, and that it has not run', async () => {
    const { status, out } = await world.paydrop('schedule', 'list');
    expect(status).toBe(0);
    expect(out).toMatch(/^nightly +take +\d{4}-\d\d-\d\d 23:59:00 \+00:00 +none yet$/m);
    expect(out).toMatch(/^close +day-close /m);
  });

  it("run makes today's run and says what it took; a second time it does nothing", async () => {
    await world.drop('ach-charge', 'june.csv', lines([achRow(1)]));
    await world.paydrop('run', '--once', '--timeout', '20');
    expect(await world.states()).toEqual({});
    const { status, out, err } = await world.paydrop('schedule', 'run', 'nightly');
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toMatch(/^The run of nightly for \d{4}-\d\d-\d\d is done: 1 file taken\.\n$/);
    const again = await world.paydrop('schedule', 'run', 'nightly');
    expect(again.status).toBe(0);
    expect(again.out).toMatch(/was already made: 1 file taken\. Nothing was done\.\n$/);
    expect((await world.paydrop('schedule', 'run', 'nightly', '--again')).out).toBe('Taken again: 0 files.\n');
    const [line] = JSON.parse((await world.paydrop('schedule', 'list', '--json')).out);
    expect(line).toMatchObject({ name: 'nightly', does: 'take', last: { state: 'done', summary: { files: 1 } } });
    expect(line.nextAt.slice(0, 10) > line.last.day).toBe(true);
  });

  it('run wants a schedule that is there', async () => {
    const { status, err } = await world.paydrop('schedule', 'run', 'weekly');
    expect(status).toBe(1);
    expect(err).toContain('There are: nightly, elsewhen, close.');
  });
});

describe('a file that waits for the window of its account', () => {
  it('keeps "run --once" no longer than it has something to do, and "show" says when it is sent', async () => {
    const { status } = await world.paydrop('run', '--once', '--timeout', '20');
    expect(status).toBe(0);
    expect(await world.states()).toEqual({ 'june.csv': 'accepted' });
    expect((await world.paydrop('show', 'june.csv')).out).toMatch(
      /\n\nNext send at \d{4}-\d\d-\d\d 10:00:00 \+00:00: the window of account main opens then\.\n/,
    );
    const { nextSendAt } = JSON.parse((await world.paydrop('show', 'june.csv', '--json')).out);
    expect(nextSendAt).toMatch(/T10:00:00\.000Z$/);
  });
});

describe('status', () => {
  it('names a schedule that was missed, with 3', async () => {
    expect((await world.paydrop('status', '--check')).status).toBe(0);
    await world.app.ledger.pool.query(
      `INSERT INTO schedule_run (schedule, business_date, state, due_at, finished_at, summary)
       SELECT 'nightly', current_date - 1, 'missed', now() - interval '1 day', now(), '{"says": "paydrop was not running at its time"}'`,
    );
    const { status, out } = await world.paydrop('status', '--check');
    expect(status).toBe(3);
    expect(out).toMatch(/Late schedules\n(.*\n){2}nightly .* paydrop was not running at its time\n/);
    expect(JSON.parse((await world.paydrop('status', '--json')).out)).toMatchObject({
      lateRuns: [{ schedule: 'nightly', state: 'missed' }],
      missingFiles: [],
    });
  });

  it('names it no more once a user has acknowledged it; "schedule list --all" keeps it with the reason', async () => {
    const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const acknowledge = (...words: string[]) => world.paydrop('schedule', 'acknowledge', ...words);
    const reason = ['--reason', 'the server was being moved'];
    expect((await acknowledge('nightly', '2026-02-30', ...reason)).err).toContain('there is none');
    expect((await acknowledge('nightly', day)).err).toContain('the reason is empty');
    expect((await acknowledge('nightly', day, '--plan')).out).toContain('It leaves the lists of open work');
    const { status, out } = await acknowledge('nightly', day, ...reason);
    expect([status, out]).toEqual([0, `Acknowledged: schedule nightly, ${day}.\n`]);
    expect((await acknowledge('nightly', day, '--plan')).out).toContain('It was acknowledged before by');
    const seen = await world.paydrop('status', '--check');
    expect([seen.status, seen.out]).toEqual([0, expect.not.stringContaining('Late schedules')]);
    expect((await world.paydrop('schedule', 'list', '--all')).out).toMatch(
      /Missed and failed runs\n(.*\n){2}schedule nightly, .* missed .* the server was being moved/,
    );
    expect(JSON.parse((await world.paydrop('schedule', 'list', '--all', '--json')).out)).toMatchObject({
      schedules: [{ name: 'nightly' }, { name: 'elsewhen' }, { name: 'close' }],
      runs: [{ schedule: 'nightly', day, state: 'missed', acknowledgeReason: 'the server was being moved' }],
    });
  });
});
