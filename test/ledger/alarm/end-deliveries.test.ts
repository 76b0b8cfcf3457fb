import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  dropStrangers,
  noteDelivered,
  noteUndelivered,
  raiseAlarms,
  readWaitingNotices,
} from '../../../src/ledger/alarm/raise-alarms.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
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
afterAll(() => world.close());

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
