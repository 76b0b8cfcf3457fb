import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endAttempt } from '../../../src/ledger/batch/end-attempt.ts';
import { settleBatch } from '../../../src/ledger/doubt/resolution-actions.ts';
import { findDueWork } from '../../../src/ledger/batch/due-work.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import type { BatchRow } from '../../../src/ledger/engine/records.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { keyOf, type LedgerWorld, openTestLedger, outcomesOf, START } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const because = { actor: 'operator:ada', reason: 'two reports say so' };

async function doubtful(): Promise<BatchRow> {
  const batch = await world.sending();
  await endAttempt(world.ledger, batch, { verdict: 'unknown', reason: 'reset', evidence: {} });
  return batch;
}

describe('settleBatch', () => {
  it('writes one outcome for each row and makes the outputs of the file due', async () => {
    const batch = await doubtful();
    await transact(world.ledger, (tx) => settleBatch(tx, keyOf(batch), outcomesOf(batch), 'settled', because));
    const settled = await readBatchRow(world.ledger, keyOf(batch));
    expect(settled).toMatchObject({ state: 'reconciled', batch_id: null, next_poll_at: null });
    expect(settled.submitted_at).toEqual(new Date(START));
    expect((await findDueWork(world.ledger)).deliver).toContain(batch.file_id);
    const { rows } = await world.ledger.pool.query('SELECT resolution FROM attempt WHERE file_id = $1', [
      batch.file_id,
    ]);
    expect(rows).toEqual([{ resolution: 'settled' }]);
    expect((await world.links(batch.file_id)).at(-1)).toMatchObject({ ...because, move: 'settle' });
  });

  it.each([
    ['a row too few', (batch: BatchRow) => outcomesOf(batch).slice(1)],
    ['a row of no batch', (batch: BatchRow) => [...outcomesOf(batch).slice(1), { ...outcomesOf(batch)[0]!, line: 99 }]],
  ])('writes nothing when the outcomes have %s', async (_what, outcomes) => {
    const batch = await doubtful();
    const settle = transact(world.ledger, (tx) => settleBatch(tx, keyOf(batch), outcomes(batch), 'settled', because));
    await expect(settle).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject({ state: 'unknown' });
    const { rows } = await world.ledger.pool.query('SELECT resolution FROM attempt WHERE file_id = $1', [
      batch.file_id,
    ]);
    expect(rows).toEqual([{ resolution: null }]);
  });
});
