import { describe, expect, it } from 'vitest';
import { dashboardForTests } from '../support/dashboard-world.ts';
import { wordsOf } from '../support/read-page.ts';
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
    await runSchedule(world.app, { schedule: 'nightly' });
    await runNow(world.app, 'nightly', { because: { actor: 'operator:operator', reason: 'early' } });
    const day = dayInZone(world.app.clock.now(), 'Pacific/Kiritimati');
    expect(wordsOf((await linesOf('viewer'))[0]!)).toContain(`${day} Done 0 files taken`);
  });
});
