import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  beginAlarmWatch,
  dropStrangers,
  type DueAlarm,
  noteDelivered,
  noteUndelivered,
  raiseAlarms,
  readWaitingNotices,
} from '../../../src/ledger/alarm/raise-alarms.ts';
import { openTestLedger, START } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

describe('raise alarms', () => {
  beforeEach(() => world.empty());

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
});

describe('end deliveries', () => {
  beforeEach(async () => {
    await world.empty();
    const alarm = { kind: 'file_held', account: 'main', figures: {}, text: '' } as const;
    const audience = ['a', 'b'].map((key) => ({ key, kinds: ['file_held'] as const }));
    await raiseAlarms(
      world.ledger,
      [
        { ...alarm, subject: 'f' },
        { ...alarm, subject: 'g' },
      ],
      audience,
      () => true,
    );
  });

  const waiting = (target: string) => readWaitingNotices(world.ledger, target);

  describe('noteDelivered', () => {
    it('ends what was told, for this target alone', async () => {
      const [first] = await waiting('a');
      await noteDelivered(world.ledger, 'a', [first!]);
      expect((await waiting('a')).map(({ subject }) => subject)).toEqual(['g']);
      expect(await waiting('b')).toHaveLength(2);
    });
  });

  describe('noteUndelivered', () => {
    it('waits twice as long each time, an hour at most, and never gives up', async () => {
      const waitsMs: number[] = [];
      for (let turn = 0; turn < 9; turn += 1) {
        await noteUndelivered(world.ledger, 'a', await waiting('a'), 'no answer in time');
        expect(await waiting('a')).toEqual([]);
        const { rows } = await world.ledger.pool.query<{ at: Date }>(
          `SELECT next_try_at AS at FROM alarm_delivery WHERE target = 'a' LIMIT 1`,
        );
        waitsMs.push(rows[0]!.at.getTime() - world.clock.now().getTime());
        world.clock.set(rows[0]!.at);
      }
      expect(waitsMs.map((ms) => ms / 60_000)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
      expect(await waiting('a')).toHaveLength(2);
    });
  });

  describe('dropStrangers', () => {
    it('ends what waits for a receiver that is no longer in the configuration', async () => {
      await dropStrangers(world.ledger, ['b']);
      expect(await waiting('a')).toEqual([]);
      expect(await waiting('b')).toHaveLength(2);
    });
  });
});

describe('readWaitingNotices', () => {
  beforeAll(() => world.empty());

  it('lists what happened in its order, with what to say, so many at a time', async () => {
    const alarm = { kind: 'file_held', account: 'main', figures: { rows: 1 }, text: 'File f.', subject: 'f' } as const;
    const audience = [{ key: 'a', kinds: ['file_held'] }] as const;
    await raiseAlarms(world.ledger, [alarm], audience, () => true);
    world.clock.advance(1_000);
    await raiseAlarms(world.ledger, [], audience, () => true);
    const raised = {
      event: 'raised',
      kind: 'file_held',
      subject: 'f',
      account: 'main',
      text: 'File f.',
      figures: { rows: 1 },
    };
    expect(await readWaitingNotices(world.ledger, 'a')).toMatchObject([
      { ...raised, at: new Date(START) },
      { ...raised, event: 'cleared', at: new Date('2026-06-15T10:00:01.000Z') },
    ]);
    expect(await readWaitingNotices(world.ledger, 'a', 1)).toHaveLength(1);
    expect(await readWaitingNotices(world.ledger, 'b')).toEqual([]);
  });

  it('does not wait for a time that a clock has noted which was ahead', async () => {
    await world.force(`UPDATE alarm_delivery SET next_try_at = next_try_at + interval '30 minutes'`);
    expect(await readWaitingNotices(world.ledger, 'a')).toEqual([]);
    await world.force(`UPDATE alarm_delivery SET next_try_at = next_try_at + interval '400 days'`);
    expect(await readWaitingNotices(world.ledger, 'a')).toHaveLength(2);
  });
});
