import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../../src/app.ts';
import type { Account, Settings } from '../../../../src/config/config.ts';
import { pauseAccount } from '../../../../src/ledger/account/pause-account.ts';
import { type Front, readFront } from '../../../../src/web/pages/front/read-front.ts';
import { openMonth } from '../../../../src/web/pages/front/month.tsx';
import { openScheduleWorld, NOON, type ScheduleWorld } from '../../../workers/support/schedule-world.ts';

let world: ScheduleWorld;
beforeAll(async () => {
  world = await openScheduleWorld();
});
afterAll(() => world.close());

function read(app: App): Promise<Front> {
  return readFront({ app, settings: app.settings.dashboard! }, openMonth(app.ledger, app.settings));
}

describe('readFront', () => {
  it('says what comes next, the first first: runs, windows that are closed, files that are expected', async () => {
    world.clock.set(NOON);
    const dues = await world.makeFolder('drop/dues', { expect: { by: '18:00', days: ['mon'], holidays: [] } });
    const window = { from: '13:00', to: '14:00', days: ['mon'], holidays: [] } as Account['window'];
    const app = world.appWith({ nightly: { does: 'take', at: '22:00' } }, [dues], { window });
    expect((await read(app)).coming).toEqual([
      { what: 'Account main may send again', at: new Date('2026-06-15T13:00:00Z'), timeZone: 'UTC' },
      { what: 'A file is expected in drop/dues', at: new Date('2026-06-15T18:00:00Z'), timeZone: 'UTC' },
      { what: 'Schedule nightly runs', at: new Date('2026-06-15T22:00:00Z'), timeZone: 'UTC' },
    ]);
    world.clock.set('2026-06-15T13:30:00Z');
    expect((await read(app)).coming.map(({ what }) => what)).not.toContain('Account main may send again');
  });

  it('puts what never happens at the end', async () => {
    world.clock.set(NOON);
    const window = { from: '13:00', to: '13:00', days: ['mon'], holidays: [] } as Account['window'];
    const never = { ...window!, holidays: [], days: [] } as Account['window'];
    const { coming } = await read(world.appWith({ nightly: { does: 'take', at: '22:00' } }, [], { window: never }));
    expect(coming.map(({ at }) => at)).toEqual([new Date('2026-06-15T22:00:00Z'), null]);
  });

  it('has the day of each account, its zone and currency', async () => {
    world.clock.set('2026-06-15T23:30:00Z');
    const app = world.appWith({}, [], { timeZone: 'Europe/Berlin' });
    const front = await read(app);
    expect(front.today).toMatchObject([{ account: 'main', day: '2026-06-16', isOver: false }]);
    expect([front.zone, front.zoneOf('main'), front.zoneOf('gone')]).toEqual(['Europe/Berlin', 'Europe/Berlin', 'UTC']);
    expect([front.currencyOf('main'), front.currencyOf('gone')]).toEqual(['USD', undefined]);
  });

  it('has the stops, and says of this process whether it works', async () => {
    const settings: Settings = world.settings;
    await pauseAccount(world.app.ledger, 'main', { actor: 'operator:ada', reason: 'wait' });
    const front = await read({ ...world.app, settings });
    expect(front.stops).toMatchObject([{ account: 'main', reason: 'wait' }]);
    expect(front.unready).toEqual([{ part: 'process', why: 'it is starting' }]);
  });
});
