import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endAttempt } from '../../../src/ledger/batch/end-attempt.ts';
import { findDueWork } from '../../../src/ledger/batch/due-work.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { keyOf, type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';
import { adoptBatch } from '../../../src/ledger/doubt/resolution-actions.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const because = { actor: 'operator:ada', reason: 'every row matches', evidence: { rows: 2 } };

async function doubtful(plan = {}) {
  const batch = await world.sending(plan);
  await endAttempt(world.ledger, batch, { verdict: 'unknown', reason: 'reset', evidence: {} });
  return batch;
}

describe('adoptBatch', () => {
  it('makes the batch submitted as of its call, with its result asked for at once and a resolution beside the attempt', async () => {
    const batch = await doubtful();
    world.clock.advance(7_200_000);
    await transact(world.ledger, (tx) => adoptBatch(tx, keyOf(batch), '9001', because));
    const adopted = await readBatchRow(world.ledger, keyOf(batch));
    expect(adopted).toMatchObject({ state: 'submitted', batch_id: '9001', attempt: 1 });
    expect({ sentAt: adopted.submitted_at, dueAt: adopted.next_poll_at }).toEqual({
      sentAt: new Date(START),
      dueAt: world.clock.now(),
    });
    expect((await findDueWork(world.ledger)).poll.map((row) => row.file_id)).toContain(batch.file_id);
    const { rows } = await world.ledger.pool.query('SELECT verdict, resolution, resolved_by FROM attempt');
    expect(rows).toEqual([{ verdict: 'unknown', resolution: 'adopted', resolved_by: 'operator:ada' }]);
    expect((await world.links(batch.file_id)).at(-1)).toMatchObject({
      ...because,
      move: 'adopt',
      to_state: 'submitted',
    });
    world.clock.set(START);
  });

  it('is refused by the database for an id that another batch of the account has, and only of that account', async () => {
    const batch = await doubtful({ batches: 2 });
    const other = await world.putBatch({ fileId: batch.file_id, batchNo: 2 }, 'reconciled');
    const adopt = (id: string, key = keyOf(batch)) => transact(world.ledger, (tx) => adoptBatch(tx, key, id, because));
    await expect(adopt(other.batch_id!)).rejects.toMatchObject({ code: 'RESOLUTION_REFUSED' });
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject({ state: 'unknown', batch_id: null });
    await adopt(other.batch_id!, keyOf(await doubtful()));
  });
});
