import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BATCH_STATES, type BatchState } from '../../../schemas/lifecycle.ts';
import { pollNow } from '../../../src/ledger/batch/schedule-poll.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { keyOf, type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const because = { actor: 'operator:ada', reason: 'asked for by hand' };
const ASKED: readonly BatchState[] = ['submitted', 'result_in', 'exception', 'reconciled'];

describe('pollNow', () => {
  it.each(Object.keys(BATCH_STATES) as BatchState[])('of a batch that is %s', async (state) => {
    const batch = await world.batchIn(state);
    const polling = pollNow(world.ledger, keyOf(batch), because);
    if (!ASKED.includes(state)) return expect(polling).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    await polling;
    const isDue = (when: boolean) => (when ? new Date(START) : null);
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject({
      state,
      next_poll_at: isDue(state === 'submitted' || state === 'exception'),
      next_recheck_at: isDue(state === 'reconciled'),
    });
    expect((await world.links(batch.file_id)).at(-1)).toMatchObject({ ...because, move: 'repoll' });
  });

  it('refuses a batch that was settled without a batch id', async () => {
    const batch = await world.batchIn('reconciled');
    await world.force('UPDATE batch SET batch_id = NULL WHERE file_id = $1', [batch.file_id]);
    await expect(pollNow(world.ledger, keyOf(batch), because)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
  });
});
