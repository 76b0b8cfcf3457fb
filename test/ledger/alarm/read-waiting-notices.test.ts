import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { raiseAlarms, readWaitingNotices } from '../../../src/ledger/alarm/raise-alarms.ts';
import { type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

describe('readWaitingNotices', () => {
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
