import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  beginAlarmWatch,
  dropStrangers,
  type DueAlarm,
  noteDelivered,
  noteUndelivered,
  raiseAlarms,
  readWaitingNotices,
} from '../../../src/ledger/alarm/raise-alarms.ts';
import { type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';
import { endFailure, listFailing, noteFailure, readFailing } from '../../../src/ledger/alarm/note-failure.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

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
    it('ends what waits for somebody who is not in the configuration any more', async () => {
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

describe('note failure', () => {
  beforeEach(() => world.empty());

  const ITEM = { work: 'deliver', subject: 'f1', fileId: 'f1' } as const;

  const AGAIN_MS = 15_000;

  async function fail(times: number, reason = 'no space'): Promise<void> {
    for (let n = 0; n < times; n += 1) await noteFailure(world.ledger, ITEM, { code: 'DISK_FULL', reason }, AGAIN_MS);
  }

  describe('noteFailure', () => {
    it('counts failures since the first, with the reason of the last', async () => {
      await fail(2);
      world.clock.advance(AGAIN_MS);
      await fail(1, 'no space at all');
      expect(await readFailing(world.ledger)).toMatchObject([
        { ...ITEM, failures: 3, reason: 'no space at all', code: 'DISK_FULL' },
      ]);
      const [row] = await readFailing(world.ledger);
      expect(row!.lastAt.getTime() - row!.since.getTime()).toBe(AGAIN_MS);
    });

    it('begins anew after a time in which it was not tried', async () => {
      await fail(5);
      world.clock.advance(86_400_000);
      expect(await readFailing(world.ledger)).toEqual([]);
      await fail(1);
      expect(await readFailing(world.ledger)).toEqual([]);
    });

    it('keeps a long reason in part', async () => {
      await fail(3, 'x'.repeat(5_000));
      expect((await readFailing(world.ledger))[0]!.reason).toHaveLength(1_000);
    });
  });

  describe('endFailure', () => {
    it('ends this work and no other', async () => {
      await fail(3);
      await noteFailure(world.ledger, { ...ITEM, work: 'intake' }, { reason: 'x' }, AGAIN_MS);
      await endFailure(world.ledger, ITEM);
      expect(await listFailing(world.ledger)).toEqual(new Set(['intake f1']));
    });
  });

  describe('endFailure, of what each process does for itself', () => {
    it('keeps what another process cannot do while that lives, and ends what the one before could not', async () => {
      const sweep = { work: 'sweep', subject: 'host/site' } as const;
      const other = await world.openAgain();
      await noteFailure(other, sweep, { reason: 'x' }, AGAIN_MS);
      await noteFailure(other, ITEM, { reason: 'x' }, AGAIN_MS);
      await endFailure(world.ledger, sweep);
      await endFailure(world.ledger, ITEM);
      expect(await listFailing(world.ledger)).toEqual(new Set(['sweep host/site']));
      await endFailure(other, sweep);
      expect(await listFailing(world.ledger)).toEqual(new Set());
      await noteFailure(other, sweep, { reason: 'x' }, AGAIN_MS);
      await other.instance.leave();
      await endFailure(world.ledger, sweep);
      expect(await listFailing(world.ledger)).toEqual(new Set());
    });
  });

  describe('listFailing', () => {
    it.each([
      ['poll', 'submitted', 'reconciled'],
      ['submit', 'ready', 'cancelled'],
    ] as const)(
      'forgets to %s when no batch that is %s is left, for the account and for the batch',
      async (work, open, over) => {
        const batch = await world.batchIn(open, { account: 'main' });
        await world.batchIn(open, { account: 'other' });
        const key = { fileId: batch.file_id, batchNo: 1 };
        await noteFailure(world.ledger, { work, subject: 'main', account: 'main' }, { reason: 'x' }, AGAIN_MS);
        await noteFailure(world.ledger, { work, subject: 'b', ...key }, { reason: 'x' }, AGAIN_MS);
        expect(await listFailing(world.ledger)).toEqual(new Set([`${work} main`, `${work} b`]));
        await world.putBatch(key, over);
        expect(await listFailing(world.ledger)).toEqual(new Set());
      },
    );

    it('lists what fails, and forgets what is not tried any more', async () => {
      await fail(1);
      expect(await listFailing(world.ledger)).toEqual(new Set(['deliver f1']));
      world.clock.advance(86_400_000);
      expect(await listFailing(world.ledger)).toEqual(new Set());
      await fail(1);
      world.clock.advance(-400 * 86_400_000);
      expect(await listFailing(world.ledger)).toEqual(new Set());
    });
  });
});

describe('readFailing', () => {
  beforeEach(() => world.empty());
  const subjects = async (fileId?: string) => (await readFailing(world.ledger, fileId)).map(({ subject }) => subject);
  async function fail(subject: string, times: number, item: { account?: string; fileId?: string } = {}): Promise<void> {
    for (let n = 0; n < times; n += 1)
      await noteFailure(world.ledger, { work: 'poll', subject, ...item }, { reason: 'no answer' }, 60_000);
  }

  it('tells what has failed three times, or once and not succeeded for 45 s', async () => {
    await fail('often', 3);
    await fail('once', 1);
    expect(await subjects()).toEqual(['often']);
    world.clock.advance(44_000);
    expect(await subjects()).toEqual(['often']);
    world.clock.advance(1_000);
    expect(await subjects()).toEqual(['often', 'once']);
  });

  it('tells of one file what fails for it or for its account, with its name', async () => {
    const file = await world.accepted({ account: 'main', name: 'june.csv' });
    await fail('of the file', 3, { fileId: file.file_id });
    await fail('of its account', 3, { account: 'main' });
    await fail('of another account', 3, { account: 'other' });
    await fail('of another file', 3, { fileId: 'f2', account: 'main' });
    expect((await subjects(file.file_id)).sort()).toEqual(['of its account', 'of the file']);
    const all = await readFailing(world.ledger);
    expect(all.find(({ subject }) => subject === 'of the file')).toMatchObject({ name: 'june.csv', account: 'main' });
  });
});
