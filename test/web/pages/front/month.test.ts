import { reconcileBatch } from '../../../support/end-batches.ts';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it, beforeAll } from 'vitest';
import { AGES, type OpenAge } from '../../../../src/ledger/overview/overview.ts';
import { Month, OpenByAge } from '../../../../src/web/pages/front/month.tsx';
import type { Account, Settings } from '../../../../src/config/config.ts';
import type { FileRow } from '../../../../src/ledger/engine/records.ts';
import { openTestLedger, outcomesOf } from '../../../support/ledger-world.ts';
import type { App } from '../../../../src/app.ts';
import { pauseAccount } from '../../../../src/ledger/account/pause-account.ts';
import {
  type Front,
  type MonthDay,
  MONTH_DAYS,
  openDays,
  openMonth,
  openToday,
  readFront,
} from '../../../../src/web/pages/front/read-front.ts';
import { openScheduleWorld, NOON } from '../../../workers/support/schedule-world.ts';
import { openedForTests } from '../../../support/opened-for-tests.ts';

const draw = (days: readonly MonthDay[]) => renderToString(h(Month, { days }));
const quiet: MonthDay = { day: '2026-06-13', rows: 0, declined: 0, cents: {}, outcomes: {}, withheld: {} };

function paid(day: string, dollars: number): MonthDay {
  const cents = { USD: dollars * 100 };
  return { ...quiet, day, rows: dollars, cents, outcomes: { USD: { approved: cents.USD } } };
}

describe('Month', () => {
  it('draws rows, the money of each currency and the declined share, and tells the same in a table', () => {
    const html = draw([
      quiet,
      {
        day: '2026-06-14',
        rows: 1_000,
        declined: 25,
        cents: { CAD: 1_234_500, USD: 500 },
        outcomes: { CAD: { approved: 1_234_500 }, USD: { declined: 500 } },
        withheld: { CAD: { rows: 3, cents: 5_500, unreadable: 2 }, USD: { rows: 1, cents: 700, unreadable: 0 } },
      },
      { ...paid('2026-06-15', 4), cents: { USD: -700 }, outcomes: { USD: { approved: -700 } } },
      paid('2026-06-16', 2),
    ]);
    expect(html.match(/<figure/g)).toHaveLength(3);
    expect(html).toContain('Money a day, CAD: too few figures');
    expect(html).toContain('<title>2026-06-14: Declined 5.00 of 5.00 USD</title>');
    expect(html).toContain('<title>2026-06-14: 2.5 % of 1,000</title>');
    const table = html.slice(html.indexOf('<details'));
    const cells = [...table.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell = '']) => cell.replaceAll(/<[^>]+>/g, ''));
    expect([cells.slice(7, 14), cells.slice(14)]).toEqual([
      ['2026-06-15', '4', '0.00', '-7.00', '0', '0.0 %', 'none'],
      [
        '2026-06-14',
        '1,000',
        '12,345.00',
        '5.00',
        '25',
        '2.5 %',
        '3 rows: 55.00, 2 amounts unreadable CAD; 1 row: 7.00 USD',
      ],
    ]);
    expect(table).toContain('href="/report?day=2026-06-14"');
  });

  it('draws how long results took where the days are of one account', () => {
    const days = [1, 2, 3].map((n) => ({ ...paid(`2026-06-0${n}`, n), waits: [n, 60 * n] as [number, number] }));
    const html = renderToString(h(Month, { days, account: 'main' }));
    expect(html).toContain('of account main alone');
    expect(html).toContain('<title>2026-06-02: half in 2 s, 95 % in 2 min</title>');
    expect(draw(days.map((day) => ({ ...day, waits: null })))).not.toContain('From sent to result');
  });

  it('says what will stand here while nothing has come back', () => {
    const html = draw([quiet]);
    expect(html).not.toContain('<svg');
    expect(html).toContain('Once the service has returned results');
  });

  it('names a day on which nothing but withheld rows came', () => {
    const html = draw([{ ...quiet, withheld: { USD: { rows: 2, cents: 0, unreadable: 2 } } }]);
    expect(html).toContain('2 rows: 2 amounts unreadable USD');
  });
});

describe('OpenByAge', () => {
  const ages: OpenAge[] = AGES.map((age, index) => ({ account: 'uk', age, rows: index, cents: 1_000 * index }));
  const show = (shown: readonly OpenAge[]) =>
    renderToString(h(OpenByAge, { ages: shown, currencyOf: (account) => (account === 'uk' ? 'GBP' : 'USD') }));

  it('draws the money of each currency, and tells the same in a table', () => {
    const html = show([...ages, { account: 'main', age: 'over 24 h', rows: 1, cents: 7 }]);
    expect(html.match(/<figure/g)).toHaveLength(1);
    expect(html).toContain('<title>over 24 h: 30.00 GBP</title>');
    expect(html).toContain('Open money by age, USD: too few figures');
    const table = html.slice(html.indexOf('<tbody'));
    const cells = [...table.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell = '']) => cell.replaceAll(/<[^>]+>/g, ''));
    expect(cells.slice(-4)).toEqual(['over 24 h', '4', '30.00', '0.07']);
  });

  it('is not there while nothing is open', () => {
    expect(show([])).toBe('');
  });
});

const world = openedForTests(openTestLedger);
beforeAll(async () => {
  world.clock.set('2026-06-01T04:30:00Z');
  const [main, side, uk] = [await accept('main'), await accept('side'), await accept('uk')];
  await end(main);
  await end(uk);
  world.clock.set('2026-06-15T10:00:00Z');
  await end(side, 'declined');
});

const settings = {
  accounts: new Map(
    Object.entries({
      main: { timeZone: 'America/Los_Angeles', currency: 'USD' },
      side: { timeZone: 'UTC', currency: 'USD' },
      uk: { timeZone: 'Europe/London', currency: 'GBP' },
    }).map(([name, more]) => [name, { name, ...more } as Account]),
  ),
};

function accept(account: string): Promise<FileRow> {
  return world.accepted({ account });
}

async function end(file: FileRow, first: 'approved' | 'declined' = 'approved'): Promise<void> {
  const key = { fileId: file.file_id, batchNo: 1 };
  const rows = outcomesOf(await world.putBatch(key, 'result_in')).map((row, index) =>
    index === 0 ? { ...row, outcome: first } : row,
  );
  await reconcileBatch(world.ledger, key, file.file_no, rows, {});
}

describe('openMonth', () => {
  it('sums each account by the days of its own zone, and each currency by itself', async () => {
    const days = await openMonth(world.ledger, settings)();
    expect(days.filter(({ rows }) => rows > 0)).toEqual([
      { ...quiet, day: '2026-05-31', rows: 2, cents: { USD: 500 }, outcomes: { USD: { approved: 500 } } },
      { ...quiet, day: '2026-06-01', rows: 2, cents: { GBP: 500 }, outcomes: { GBP: { approved: 500 } } },
      {
        ...quiet,
        day: '2026-06-15',
        rows: 2,
        declined: 1,
        cents: { USD: 500 },
        outcomes: { USD: { approved: 300, declined: 200 } },
      },
    ]);
    await world.force(
      `UPDATE batch SET result_at = final_at, submitted_at = final_at - interval '9 s' WHERE account = 'side'`,
    );
    const own = await openMonth(world.ledger, settings)('side');
    expect(own.filter(({ rows }) => rows > 0)).toMatchObject([{ day: '2026-06-15', waits: [9, 9] }]);
  });

  it('has every day up to today, also those on which nothing ended', async () => {
    const days = await openMonth(world.ledger, { accounts: new Map([...settings.accounts].slice(1)) })();
    expect(days).toHaveLength(MONTH_DAYS);
    expect([days[0]?.day, days.at(-1)?.day]).toEqual(['2026-05-17', '2026-06-15']);
    expect(days[0]).toEqual({ ...quiet, day: '2026-05-17' });
  });

  it('asks again only for days that may still change', async () => {
    const asked: number[] = [];
    const { pool } = world.ledger;
    const query = async (text: string, values?: unknown[][]) => {
      if (values) asked.push(values[0]!.length);
      return pool.query(text, values);
    };
    const month = openMonth({ ...world.ledger, pool: { query } as unknown as typeof pool }, settings);
    const first = await month();
    await end(await accept('main'), 'declined');
    const second = await month();
    expect(asked).toEqual([3 * MONTH_DAYS, 3]);
    expect(second.slice(0, -1)).toEqual(first.slice(0, -1));
    expect(second.at(-1)).toEqual({
      ...quiet,
      day: '2026-06-15',
      rows: 4,
      declined: 2,
      cents: { USD: 1_000 },
      outcomes: { USD: { approved: 600, declined: 400 } },
    });
    // Nothing moved since.
    await month();
    expect(asked.length).toBe(2);
    // At 0:30 yesterday may still change, at noon it may not.
    for (const time of ['2026-06-16T00:30:00Z', '2026-06-16T12:00:00Z', '2026-06-16T12:01:00Z']) {
      world.clock.set(time);
      await end(await accept('main'), 'declined');
      await month();
    }
    expect(asked[2]).toBeGreaterThan(3);
    expect(asked.at(-1)).toBe(3);
  });
});

describe('openToday', () => {
  it('reads again only after something moved or the day changed', async () => {
    const today = openToday(world.ledger, settings);
    const first = await today();
    expect(await today()).toBe(first);
    await end(await accept('main'), 'declined');
    const second = await today();
    expect(second).not.toEqual(first);
    expect(await today()).toBe(second);
    const days = new Set(second.map(({ day }) => day));
    world.clock.set('2026-06-17T13:00:00Z');
    expect((await today()).filter(({ day }) => days.has(day))).toEqual([]);
  });
});

function read(app: App): Promise<Front> {
  return readFront(
    { app, settings: app.settings.dashboard!, drops: { refresh: async () => {} } },
    openDays(app.ledger, app.settings),
    {
      actor: 'operator:ada',
    },
  );
}

describe('readFront', () => {
  const world = openedForTests(openScheduleWorld);

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

  it('has what needs a person, and says of this process whether it works', async () => {
    const settings: Settings = world.settings;
    await pauseAccount(world.app.ledger, 'main', { actor: 'operator:ada', reason: 'wait' });
    const front = await read({ ...world.app, settings });
    expect(front.needs).toMatchObject([{ kind: 'stopped', account: 'main', says: 'paused by ada: wait' }]);
    expect(front.unready).toEqual([{ part: 'process', why: 'it is starting' }]);
  });
});
