import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDayReport } from '../../../workers/schedule/read-day-report.ts';
import { balanceDay } from '../../../src/reconcile/balance-day.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const NEW_YORK = { name: 'main', timeZone: 'America/New_York' };

describe('readDayReport', () => {
  it.each([
    ['2026-03-07', '2026-03-08T04:59:59.999Z', '2026-03-08T05:00:00.000Z'],
    ['2026-03-08', '2026-03-09T03:59:59.999Z', '2026-03-09T04:00:00.000Z'],
    ['2026-11-01', '2026-11-02T04:59:59.999Z', '2026-11-02T05:00:00.000Z'],
    ['2026-12-31', '2027-01-01T04:59:59.999Z', '2027-01-01T05:00:00.000Z'],
  ])('%s ends where the next day begins there', async (day, last, next) => {
    await world.empty();
    for (const at of [last, next]) {
      world.clock.set(at);
      await world.accepted({ account: 'main' });
    }
    const report = await readDayReport(world.ledger, NEW_YORK, day);
    expect(report).toMatchObject({ day, account: 'main', accepted: { files: 1, rows: 2 }, open: { rows: 2 } });
    expect(balanceDay(report)).toEqual({ rows: 0, cents: 0 });
  });

  it('says whether the day is over, and times in the zone of the account', async () => {
    await world.empty();
    await world.accepted({ account: 'main' });
    const report = await readDayReport(world.ledger, NEW_YORK, '2026-06-15');
    expect(report.isOver).toBe(false);
    expect(report.openBatches).toMatchObject([{ acceptedAt: '2026-06-15 06:00:00 -04:00', stateNow: 'ready' }]);
    world.clock.set('2026-06-16T04:00:00Z');
    expect((await readDayReport(world.ledger, NEW_YORK, '2026-06-15')).isOver).toBe(true);
  });

  it('knows the zones that left out a day of the calendar', async () => {
    const samoa = { name: 'main', timeZone: 'Pacific/Apia' };
    expect((await readDayReport(world.ledger, samoa, '2011-12-29')).accepted.files).toBe(0);
    await expect(readDayReport(world.ledger, samoa, '2011-12-30')).rejects.toMatchObject({ code: 'USAGE' });
  });

  it.each(['', 'today', '2026-02-30', '2026-6-5', '20261120'])('refuses the day %j', async (day) => {
    await expect(readDayReport(world.ledger, NEW_YORK, day)).rejects.toMatchObject({ code: 'USAGE' });
  });
});
