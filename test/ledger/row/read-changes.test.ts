import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SentOutcome } from '../../../schemas/lifecycle.ts';
import { changeOutcomes, readChanges } from '../../../src/ledger/row/change-outcomes.ts';
import { readDelivery, recordOutput } from '../../../src/ledger/file/complete-file.ts';
import { reconcileBatch } from '../../../src/ledger/batch/receive-result.ts';
import { findDueWork } from '../../../src/ledger/batch/due-work.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import type { BatchRow, FileRow } from '../../../src/ledger/engine/records.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { keyOf, type LedgerWorld, openTestLedger, outcomesOf } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

async function completed(): Promise<{ batch: BatchRow; file: FileRow }> {
  const batch = await world.batchIn('result_in', { rowsPerBatch: 3 });
  const file = await readFileRow(world.ledger, batch.file_id);
  await reconcileBatch(world.ledger, keyOf(batch), file.file_no, outcomesOf(batch), {});
  await world.putFile(file.file_id, 'completed');
  return { batch, file };
}

async function correct(batch: BatchRow, outcome: SentOutcome, rows: number[]): Promise<void> {
  const changed = rows.map((index) => ({ ...outcomesOf(batch)[index]!, outcome }));
  const by = { actor: 'worker:poll', reason: 'new', source: 'asked again' };
  await transact(world.ledger, (tx) => changeOutcomes(tx, keyOf(batch), changed, by));
}

async function write(file: FileRow, kind: 'result' | 'correction-txt', number = 0): Promise<void> {
  await recordOutput(world.ledger, file.file_id, { kind, number, name: kind, sha256: '', bytes: 0, rows: 0 });
}

describe('readChanges', () => {
  it('reads the rows of one correction in order, each beside what it was before', async () => {
    const { batch, file } = await completed();
    await correct(batch, 'unknown', [2, 0]);
    await correct(batch, 'declined', [0]);
    const first = await readChanges(world.ledger, file.file_no, 1);
    expect(first.map((row) => [row.line, row.old_outcome, row.outcome])).toEqual([
      [2, 'approved', 'unknown'],
      [4, 'approved', 'unknown'],
    ]);
    expect(await readChanges(world.ledger, file.file_no, 2)).toMatchObject([
      { line: 2, old_outcome: 'unknown', outcome: 'declined', amount_cents: 200, batch_no: 1 },
    ]);
    expect(await readChanges(world.ledger, file.file_no, 3)).toEqual([]);
  });
});

describe('the corrections that are due', () => {
  it('names those that have no files yet, once the result itself is written', async () => {
    const { batch, file } = await completed();
    await correct(batch, 'unknown', [0]);
    await correct(batch, 'declined', [0, 1]);
    const corrections = async () => (await readDelivery(world.ledger, file.file_id)).corrections;
    const isDue = async () => (await findDueWork(world.ledger)).deliver.includes(file.file_id);
    expect([await corrections(), await isDue()]).toEqual([[], false]);
    await write(file, 'result');
    expect([await corrections(), await isDue()]).toEqual([[1, 2], true]);
    await write(file, 'correction-txt', 1);
    expect([await corrections(), await isDue()]).toEqual([[2], true]);
    await write(file, 'correction-txt', 2);
    expect([await corrections(), await isDue()]).toEqual([[], false]);
  });
});
