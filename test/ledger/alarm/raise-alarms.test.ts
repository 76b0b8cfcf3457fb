import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  beginAlarmWatch,
  type DueAlarm,
  raiseAlarms,
  readWaitingNotices,
} from '../../../src/ledger/alarm/raise-alarms.ts';
import { type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
beforeEach(() => world.empty());
afterAll(() => world.close());

const HELD: DueAlarm = {
  kind: 'file_held',
  subject: 'f',
  account: 'main',
  figures: { rows: 2 },
  text: 'File f waits.',
};
const REFUSED: DueAlarm = { ...HELD, kind: 'file_refused' };
const AUDIENCE = [
  { key: 'a', kinds: ['file_held', 'file_refused'] },
  { key: 'b', kinds: ['file_held'] },
] as const;

const look = (due: DueAlarm[], mayClear = () => true) => raiseAlarms(world.ledger, due, AUDIENCE, mayClear);

async function told(target: string): Promise<string[]> {
  return (await readWaitingNotices(world.ledger, target)).map(({ event, kind }) => `${event} ${kind}`);
}

describe('beginAlarmWatch', () => {
  it('remembers the first time, unless it is still to come', async () => {
    const began = async () => {
      await beginAlarmWatch(world.ledger);
      return (await world.ledger.pool.query<{ at: Date }>('SELECT began_at AS at FROM alarm_watch')).rows[0]!.at;
    };
    world.clock.advance(400 * 86_400_000);
    await began();
    world.clock.set(START);
    expect(await began()).toEqual(new Date(START));
    world.clock.advance(1_000);
    expect(await began()).toEqual(new Date(START));
  });
});

describe('raiseAlarms', () => {
  it('raises once while it lasts, clears once, and raises anew', async () => {
    expect(await look([HELD])).toEqual({ raised: 1, cleared: 0 });
    expect(await look([HELD])).toEqual({ raised: 0, cleared: 0 });
    expect(await look([])).toEqual({ raised: 0, cleared: 1 });
    expect(await look([])).toEqual({ raised: 0, cleared: 0 });
    expect(await look([HELD])).toEqual({ raised: 1, cleared: 0 });
    expect(await told('b')).toEqual(['raised file_held', 'cleared file_held', 'raised file_held']);
  });

  it('tells each only of what it wants', async () => {
    await look([HELD, REFUSED]);
    expect(await told('a')).toEqual(['raised file_held', 'raised file_refused']);
    expect(await told('b')).toEqual(['raised file_held']);
  });

  it('is over at once with what does not last, and never says so', async () => {
    expect(await look([REFUSED])).toEqual({ raised: 1, cleared: 0 });
    expect(await look([])).toEqual({ raised: 0, cleared: 0 });
    const { rows } = await world.ledger.pool.query('SELECT raised_at, cleared_at FROM alarm');
    expect(rows).toEqual([{ raised_at: new Date(START), cleared_at: new Date(START) }]);
  });

  it('leaves what it cannot judge', async () => {
    await look([HELD]);
    expect(await look([], () => false)).toEqual({ raised: 0, cleared: 0 });
  });

  it('raises once when two look at the same time', async () => {
    const done = await Promise.all([look([HELD]), look([HELD])]);
    expect(done.reduce((sum, { raised }) => sum + raised, 0)).toBe(1);
  });
});

describe('beginAlarmWatch', () => {
  it('keeps the first moment', async () => {
    await beginAlarmWatch(world.ledger);
    world.clock.advance(1_000);
    await beginAlarmWatch(world.ledger);
    expect((await world.ledger.pool.query('SELECT began_at FROM alarm_watch')).rows).toEqual([
      { began_at: new Date(START) },
    ]);
  });
});
