import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeOutcomes } from '../../../src/ledger/row/change-outcomes.ts';
import { reconcileBatch } from '../../../src/ledger/batch/receive-result.ts';
import { readFileFigures } from '../../../src/ledger/file/file-figures.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { keyOf, type LedgerWorld, openTestLedger, outcomesOf } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

describe('readFileFigures', () => {
  it('sums batches by state, outcomes at first and now, and what was withheld', async () => {
    const file = await world.accepted({ batches: 2, rowsPerBatch: 2, withheld: 1 });
    const batch = await world.putBatch({ fileId: file.file_id, batchNo: 1 }, 'result_in');
    await reconcileBatch(world.ledger, keyOf(batch), file.file_no, outcomesOf(batch), {});
    const by = { actor: 'worker:poll', reason: 'new', source: 'asked again' };
    const changed = [{ ...outcomesOf(batch)[0]!, outcome: 'unknown' as const }];
    await transact(world.ledger, (tx) => changeOutcomes(tx, keyOf(batch), changed, by));
    expect(await readFileFigures(world.ledger, file)).toEqual({
      states: { reconciled: { batches: 1, rows: 2, cents: 500 }, ready: { batches: 1, rows: 2, cents: 900 } },
      first: { approved: { rows: 2, cents: 500 } },
      now: { approved: { rows: 1, cents: 300 }, unknown: { rows: 1, cents: 200 } },
      withheld: { rows: 1, cents: 0 },
    });
  });

  it('is empty for a file that was only claimed', async () => {
    const none = { states: {}, first: {}, now: {}, withheld: { rows: 0, cents: 0 } };
    expect(await readFileFigures(world.ledger, await world.claimed())).toEqual(none);
  });
});
