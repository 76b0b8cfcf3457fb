import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../../src/config/config.ts';
import { reconcileBatch } from '../../../../src/ledger/batch/receive-result.ts';
import type { FileRow } from '../../../../src/ledger/engine/records.ts';
import { MONTH_DAYS, openMonth } from '../../../../src/web/pages/front/month.tsx';
import { type LedgerWorld, openTestLedger, outcomesOf } from '../../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
  world.clock.set('2026-06-01T04:30:00Z');
  const [main, side, uk] = [await accept('main'), await accept('side'), await accept('uk')];
  await end(main);
  await end(uk);
  world.clock.set('2026-06-15T10:00:00Z');
  await end(side, 'declined');
});
afterAll(() => world.close());

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
    const days = await openMonth(world.ledger, settings).read();
    expect(days.filter(({ rows }) => rows > 0)).toEqual([
      { day: '2026-05-31', rows: 2, declined: 0, cents: { USD: 500 }, withheld: {} },
      { day: '2026-06-01', rows: 2, declined: 0, cents: { GBP: 500 }, withheld: {} },
      { day: '2026-06-15', rows: 2, declined: 1, cents: { USD: 500 }, withheld: {} },
    ]);
  });

  it('has every day up to today, also those on which nothing ended', async () => {
    const days = await openMonth(world.ledger, { accounts: new Map([...settings.accounts].slice(1)) }).read();
    expect(days).toHaveLength(MONTH_DAYS);
    expect([days[0]?.day, days.at(-1)?.day]).toEqual(['2026-05-17', '2026-06-15']);
    expect(days[0]).toEqual({ day: '2026-05-17', rows: 0, declined: 0, cents: {}, withheld: {} });
  });

  it('asks again only for days that may still change', async () => {
    const asked: number[] = [];
    const { pool } = world.ledger;
    const query = async (text: string, values: unknown[][]) => {
      asked.push(values[0]!.length);
      return pool.query(text, values);
    };
    const month = openMonth({ ...world.ledger, pool: { query } as unknown as typeof pool }, settings);
    const first = await month.read();
    await end(await accept('main'), 'declined');
    const second = await month.read();
    expect(asked).toEqual([3 * MONTH_DAYS, 3]);
    expect(second.slice(0, -1)).toEqual(first.slice(0, -1));
    expect(second.at(-1)).toEqual({ day: '2026-06-15', rows: 4, declined: 2, cents: { USD: 1_000 }, withheld: {} });
    // At 0:30 yesterday may still change, at noon it may not.
    world.clock.set('2026-06-16T00:30:00Z');
    await month.read();
    world.clock.set('2026-06-16T12:00:00Z');
    await month.read();
    await month.read();
    expect(asked.slice(2).at(-1)).toBe(3);
    expect(asked[2]).toBeGreaterThan(3);
  });
});
