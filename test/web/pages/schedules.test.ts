import { describe, expect, it } from 'vitest';
import { dashboardForTests } from '../support/dashboard-world.ts';
import { forceSql } from '../../support/force-sql.ts';
import { doIt } from '../support/action-page.ts';
import { expectationOf } from '../../../workers/schedule/check-expected.ts';
import { linksOf, wordsOf } from '../support/read-page.ts';
import { dayInZone } from '../../../src/calendar/zone-time.ts';
import { runNow } from '../../../src/actions/run-now.ts';
import { runSchedule } from '../../../workers/schedule/schedule.ts';

/** The tests build on each other. */
describe('schedulesPage', () => {
  const world = dashboardForTests({
    folder: { schedule: 'nightly' },
    settings: {
      schedules: {
        nightly: { does: 'take', at: '23:59', timeZone: 'Pacific/Kiritimati' },
        close: { does: 'day-close', at: '23:59', account: 'main' },
        idle: { does: 'take', at: '23:59' },
      },
    },
  });
  async function linesOf(person: 'viewer' | 'operator'): Promise<string[]> {
    const { status, text } = await (await world.as(person)).get('/schedules');
    expect(status).toBe(200);
    const [, body = ''] = /<tbody[^>]*>(.*)<\/tbody>/s.exec(text) ?? [];
    return body.split('</tr>').slice(0, -1);
  }

  it('says of each what it does, when next by its own clock, and that it has not run', async () => {
    const [nightly, close, idle] = (await linesOf('viewer')).map((line) => wordsOf(line));
    expect(nightly).toMatch(
      /^nightly takes the files in drop\/card, drop\/ach-charge, drop\/ach-refund 23:59 Kiritimati, \d\d:59 yours · in .* none yet$/,
    );
    expect(close).toMatch(/^close closes the day: writes its report 23:59 · in .* none yet$/);
    expect(idle).toMatch(/^idle takes files, but no folder names it/);
  });

  it('offers a run by hand to those who may, and to nobody else', async () => {
    expect((await linesOf('operator'))[0]).toContain('href="/schedules/nightly/do/run-now"');
    expect((await linesOf('viewer')).join('')).not.toContain('run-now');
  });

  it('says what became of the last run', async () => {
    await runSchedule(world.app, 'nightly');
    await runNow(world.app, 'nightly', { because: { actor: 'operator:operator', reason: 'early' } });
    const day = dayInZone(world.app.clock.now(), 'Pacific/Kiritimati');
    expect(wordsOf((await linesOf('viewer'))[0]!)).toContain(`${day} Done 0 files taken`);
  });

  it('lists a missed run until a user acknowledges it, and keeps it with the reason', async () => {
    const troubled = async (person: 'viewer' | 'operator') => {
      const { text } = await (await world.as(person)).get('/schedules');
      return text.slice(text.indexOf('Missed and failed runs'));
    };
    expect(wordsOf(await troubled('viewer'))).toContain('No run was missed or failed.');
    await forceSql(
      world.app,
      `INSERT INTO schedule_run (schedule, business_date, state, due_at, finished_at)
       VALUES ('nightly', '2026-06-15', 'missed', '2026-06-15T09:59:00Z', '2026-06-15T12:00:00Z')`,
    );
    const path = '/schedules/nightly/runs/2026-06-15/do/acknowledge-run';
    expect(await troubled('operator')).toContain(`href="${path}"`);
    expect(await troubled('viewer')).not.toContain('acknowledge-run');
    const operator = await world.as('operator');
    expect((await doIt(operator, path, { reason: 'the server was being moved' })).words).toContain(
      'Acknowledged: schedule nightly, 2026-06-15.',
    );
    expect(wordsOf(await troubled('operator'))).toMatch(
      /2026-06-15 Missed .* operator, .*: the server was being moved/,
    );
    expect(await troubled('operator')).not.toContain(path);
  });

  it('lets a user acknowledge an expected file, whose folder has slashes', async () => {
    const schedule = expectationOf('drop/dues');
    await forceSql(
      world.app,
      `INSERT INTO schedule VALUES ('${schedule}', '{}', '2026-06-01Z');
       INSERT INTO schedule_run (schedule, business_date, state, due_at, finished_at)
       VALUES ('${schedule}', '2026-06-15', 'missed', '2026-06-15T18:00:00Z', '2026-06-15T18:00:00Z')`,
    );
    const operator = await world.as('operator');
    const { text } = await operator.get('/schedules');
    const [path] = linksOf(text).filter((link) => link.includes('acknowledge-run'));
    expect((await doIt(operator, path!, { reason: 'the club pays next month' })).words).toContain(
      'Acknowledged: expected file of folder drop/dues, 2026-06-15.',
    );
  });
});
