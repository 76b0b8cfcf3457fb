import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BATCH_STATES, type BatchState } from '../../../schemas/lifecycle.ts';
import { schedulePoll } from '../../../src/ledger/batch/schedule-poll.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { keyOf, type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const WAITING: readonly BatchState[] = ['submitted', 'exception'];

describe('schedulePoll', () => {
  it.each(WAITING)('remembers when to ask again about a batch that is %s, without a link', async (state) => {
    const batch = await world.batchIn(state);
    const before = await world.links(batch.file_id);
    await schedulePoll(world.ledger, keyOf(batch), 10_000);
    const news = await schedulePoll(world.ledger, keyOf(batch), 15_000);
    expect(news).toEqual({
      batch: { ...batch, polls: 2, next_poll_at: new Date('2026-06-15T10:00:15.000Z') },
      isNewlyStale: false,
      isNewAlarm: false,
    });
    expect(await world.links(batch.file_id)).toEqual(before);
  });

  it('says once that a result is overdue, and since when', async () => {
    const batch = await world.batchIn('submitted');
    const asked = [];
    for (const isStale of [false, true, true]) {
      asked.push((await schedulePoll(world.ledger, keyOf(batch), 1_000, { isStale }))?.isNewlyStale);
    }
    expect(asked).toEqual([false, true, false]);
    expect((await readBatchRow(world.ledger, keyOf(batch))).stale_since).toEqual(new Date(START));
    const moves = (await world.links(batch.file_id)).map((link) => link.move);
    expect(moves.filter((move) => move === 'stale')).toHaveLength(1);
  });

  it('raises an alarm once for each text that is not known', async () => {
    const batch = await world.batchIn('submitted');
    const asked = [];
    for (const alarm of ['Gone', 'Gone', undefined, 'Gone', 'Lost']) {
      asked.push((await schedulePoll(world.ledger, keyOf(batch), 1_000, alarm ? { alarm } : {}))?.isNewAlarm);
    }
    expect(asked).toEqual([true, false, false, false, true]);
    const reasons = (await world.links(batch.file_id))
      .filter((link) => link.move === 'alarm')
      .map((link) => link.reason);
    expect(reasons).toEqual([expect.stringContaining('Gone'), expect.stringContaining('Lost')]);
  });

  it.each((Object.keys(BATCH_STATES) as BatchState[]).filter((state) => !WAITING.includes(state)))(
    'does nothing to a batch that is %s',
    async (state) => {
      const batch = await world.batchIn(state);
      expect(await schedulePoll(world.ledger, keyOf(batch), 10_000)).toBeUndefined();
      expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(batch);
    },
  );
});
