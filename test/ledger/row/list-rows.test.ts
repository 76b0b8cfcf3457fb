import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeOutcomes } from '../../../src/ledger/row/change-outcomes.ts';
import { reconcileBatch } from '../../../src/ledger/batch/receive-result.ts';
import { listRows, type RowFilter } from '../../../src/ledger/row/list-rows.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { keyOf, type LedgerWorld, openTestLedger, outcomesOf } from '../../support/ledger-world.ts';

/** Batch 1: line 2 is approved, 3 declined, 4 later unknown. Batch 2 is cancelled, 3 sent. Line 11 is withheld. */
let world: LedgerWorld;
let file: FileRow;
beforeAll(async () => {
  world = await openTestLedger();
  file = await world.accepted({ batches: 3, rowsPerBatch: 3, withheld: 1 });
  const batch = await world.putBatch({ fileId: file.file_id, batchNo: 1 }, 'result_in');
  const [one, two, three] = outcomesOf(batch);
  const outcomes = [one!, { ...two!, outcome: 'declined' as const, code: 15, message: 'no' }, three!];
  await reconcileBatch(world.ledger, keyOf(batch), file.file_no, outcomes, {});
  const by = { actor: 'worker:poll', reason: 'new', source: 'asked again' };
  await transact(world.ledger, (tx) => changeOutcomes(tx, keyOf(batch), [{ ...three!, outcome: 'unknown' }], by));
  await world.putBatch({ fileId: file.file_id, batchNo: 2 }, 'cancelled');
  await world.putBatch({ fileId: file.file_id, batchNo: 3 }, 'submitted');
});
afterAll(() => world.close());

const lines = async (filter: Partial<RowFilter>) =>
  (await listRows(world.ledger, file, { from: 0, limit: 100, ...filter })).map((row) => row.line);

describe('listRows', () => {
  it('has all rows in the order of lines, each with the outcome that it has now and the state of its batch', async () => {
    const rows = await listRows(world.ledger, file, { from: 0, limit: 100 });
    expect(rows.map((row) => [row.line, row.batch_state, row.outcome, row.code])).toEqual([
      [2, 'reconciled', 'approved', null],
      [3, 'reconciled', 'declined', 15],
      [4, 'reconciled', 'unknown', null],
      [5, 'cancelled', null, null],
      [6, 'cancelled', null, null],
      [7, 'cancelled', null, null],
      [8, 'submitted', null, null],
      [9, 'submitted', null, null],
      [10, 'submitted', null, null],
      [11, null, null, null],
    ]);
    expect(rows[1]).toMatchObject({ amount_cents: 300, last_four: '0001', message: 'no' });
  });

  it.each<[Partial<RowFilter>, number[]]>([
    [{ from: 9 }, [9, 10, 11]],
    [{ from: 3, limit: 2 }, [3, 4]],
    [{ from: 12 }, []],
    [{ outcome: 'approved' }, [2]],
    [{ outcome: 'declined' }, [3]],
    [{ outcome: 'declined', from: 4 }, []],
    [{ outcome: 'unknown' }, [4]],
    [{ outcome: 'duplicate' }, []],
    [{ outcome: 'not_sent' }, [5, 6, 7]],
    [{ outcome: 'not_sent', from: 6, limit: 1 }, [6]],
    [{ outcome: 'open' }, [8, 9, 10]],
    [{ outcome: 'invalid' }, [11]],
    [{ outcome: 'invalid', from: 12 }, []],
    [{ batch: 2 }, [5, 6, 7]],
    [{ batch: 2, outcome: 'open' }, []],
    [{ batch: 1, outcome: 'declined' }, [3]],
    [{ batch: 1, outcome: 'invalid' }, []],
    [{ batch: 9 }, []],
  ])('filters by %j', async (filter, expected) => {
    expect(await lines(filter)).toEqual(expected);
  });

  it('finds an invoice, also together with an outcome', async () => {
    const invoice = (line: number) => `INV-${file.file_id}-${line}`;
    expect(await lines({ invoice: invoice(3) })).toEqual([3]);
    expect(await lines({ invoice: invoice(3), outcome: 'declined' })).toEqual([3]);
    expect(await lines({ invoice: invoice(3), outcome: 'approved' })).toEqual([]);
    expect(await lines({ invoice: invoice(11), outcome: 'invalid' })).toEqual([11]);
    expect(await lines({ invoice: 'INV' })).toEqual([]);
  });

  it('walks over many batches to fill a page', async () => {
    const large = await world.accepted({ batches: 40, rowsPerBatch: 1 });
    for (const batchNo of [1, 20, 39, 40]) await world.putBatch({ fileId: large.file_id, batchNo }, 'cancelled');
    const found = await listRows(world.ledger, large, { outcome: 'open', from: 0, limit: 100 });
    expect(found).toHaveLength(36);
    const unsent = await listRows(world.ledger, large, { outcome: 'not_sent', from: 0, limit: 3 });
    expect(unsent.map((row) => row.batch_no)).toEqual([1, 20, 39]);
  });
});
