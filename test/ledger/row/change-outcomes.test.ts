import { describe, expect, it } from 'vitest';
import type { ReconciledRow } from '../../../src/rows/rows.ts';
import { changeOutcomes, readChanges } from '../../../src/ledger/row/change-outcomes.ts';
import { reconcileBatch } from '../../../src/ledger/batch/receive-result.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { findInvoice, verifyAudit } from '../../../src/ledger/file/search.ts';
import type { BatchRow, FileRow } from '../../../src/ledger/engine/records.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { keyOf, openTestLedger, outcomesOf, START } from '../../support/ledger-world.ts';
import type { SentOutcome } from '../../../schemas/lifecycle.ts';
import { readDelivery, recordOutput } from '../../../src/ledger/file/complete-file.ts';
import { findDueWork } from '../../../src/ledger/batch/due-work.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

const BY = { actor: 'worker:poll', reason: 'the service says something else', source: 'asked again' };

/** Makes a batch of lines 2 and 3; the outcome of the second row is unknown. */
async function reconciled(): Promise<{ batch: BatchRow; fileNo: number; rows: ReconciledRow[] }> {
  const batch = await world.batchIn('result_in', { batches: 2 });
  const { file_no: fileNo } = await readFileRow(world.ledger, batch.file_id);
  const [first, second] = outcomesOf(batch);
  const rows: ReconciledRow[] = [first!, { ...second!, outcome: 'unknown', message: 'TIMEOUT', authorization: '' }];
  await reconcileBatch(world.ledger, keyOf(batch), fileNo, rows, {});
  return { batch, fileNo, rows };
}

const change = (batch: BatchRow, rows: readonly ReconciledRow[]) =>
  transact(world.ledger, (tx) => changeOutcomes(tx, keyOf(batch), rows, BY));

describe('changeOutcomes', () => {
  it('writes down what is new beside what was, with one link, and leaves the first outcome', async () => {
    const { batch, fileNo, rows } = await reconciled();
    const now: ReconciledRow[] = [rows[0]!, { ...rows[1]!, outcome: 'approved', message: 'OK: 1', authorization: '1' }];
    expect(await change(batch, now)).toEqual({ correctionNo: 1, rows: 1 });
    expect(await readChanges(world.ledger, fileNo, 1)).toEqual([
      expect.objectContaining({
        line: 3,
        outcome: 'approved',
        message: 'OK: 1',
        authorization: '1',
        old_outcome: 'unknown',
        old_message: 'TIMEOUT',
        at: new Date(START),
        source: 'asked again',
      }),
    ]);
    expect((await world.links(batch.file_id)).at(-1)).toMatchObject({
      actor: 'worker:poll',
      batch_no: 1,
      move: 'correct',
      reason: BY.reason,
      evidence: { correctionNo: 1, rows: 1, changes: { 'unknown > approved': { rows: 1, cents: 300 } } },
    });
    const first = await world.ledger.pool.query('SELECT outcome FROM row_outcome WHERE file_no = $1 ORDER BY line', [
      fileNo,
    ]);
    expect(first.rows.map((row) => row.outcome)).toEqual(['approved', 'unknown']);
    const [found] = await findInvoice(world.ledger, `INV-${batch.file_id}-3`);
    expect(found).toMatchObject({ outcome: 'approved', code: null, message: 'OK: 1' });
    expect(await verifyAudit(world.ledger)).toBeUndefined();
  });

  it('says nothing when nothing is new, also when only the words are others', async () => {
    const { batch, rows } = await reconciled();
    const before = await world.links(batch.file_id);
    expect(await change(batch, rows)).toBeUndefined();
    expect(await change(batch, [])).toBeUndefined();
    expect(await change(batch, [{ ...rows[1]!, message: 'timed out' }])).toBeUndefined();
    expect(await world.links(batch.file_id)).toEqual(before);
  });

  it('takes another code for a change', async () => {
    const { batch, fileNo, rows } = await reconciled();
    await change(batch, [{ ...rows[1]!, outcome: 'declined', code: 15 }]);
    expect(await change(batch, [{ ...rows[1]!, outcome: 'declined', code: 14 }])).toEqual({ correctionNo: 2, rows: 1 });
    expect(await readChanges(world.ledger, fileNo, 2)).toMatchObject([
      { code: 14, old_code: 15, old_outcome: 'declined' },
    ]);
  });

  it('compares with what is known now, and not with what was first', async () => {
    const { batch, rows } = await reconciled();
    const approved = { ...rows[1]!, outcome: 'approved' as const };
    await change(batch, [approved]);
    expect(await change(batch, [approved])).toBeUndefined();
    expect(await change(batch, [rows[1]!])).toEqual({ correctionNo: 2, rows: 1 });
  });

  it('gives two corrections of one file at the same moment numbers of their own', async () => {
    const { batch, fileNo, rows } = await reconciled();
    const [one, two] = rows;
    const made = await Promise.all([
      change(batch, [{ ...one!, outcome: 'duplicate' }]),
      change(batch, [{ ...two!, outcome: 'approved' }]),
    ]);
    expect(made.map((correction) => correction?.correctionNo).sort()).toEqual([1, 2]);
    expect(await readChanges(world.ledger, fileNo, 1)).toHaveLength(1);
  });

  it.each([4, 99])('refuses line %i, which has no outcome in this batch, and writes nothing', async (line) => {
    const { batch, fileNo, rows } = await reconciled();
    const before = await world.links(batch.file_id);
    const wrong = [
      { ...rows[1]!, outcome: 'approved' as const },
      { ...rows[0]!, line },
    ];
    await expect(change(batch, wrong)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    expect(await readChanges(world.ledger, fileNo, 1)).toEqual([]);
    expect(await world.links(batch.file_id)).toEqual(before);
  });

  it('keeps rows and money of every outcome conserved, by the first outcomes and the changes', async () => {
    const { batch, fileNo, rows } = await reconciled();
    await change(batch, [{ ...rows[1]!, outcome: 'declined', code: 15 }]);
    await change(batch, [{ ...rows[1]!, outcome: 'approved' }]);
    const sums = await world.ledger.pool.query(
      `SELECT outcome, sum(rows)::int AS rows, sum(cents)::int AS cents FROM outcome_movement
       WHERE file_no = $1 GROUP BY 1 HAVING sum(rows) <> 0`,
      [fileNo],
    );
    expect(sums.rows).toEqual([{ outcome: 'approved', rows: 2, cents: 500 }]);
  });

  const statements = ['UPDATE row_change SET outcome = outcome', 'DELETE FROM row_change', 'TRUNCATE row_change'];
  it.each(statements)('lets nobody take a change back: %s', async (sql) => {
    await expect(world.ledger.pool.query(sql)).rejects.toMatchObject({ code: 'PD002' });
  });
});

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
  await recordOutput(
    world.ledger,
    { file: await readFileRow(world.ledger, file.file_id) },
    { kind, number, name: kind, sha256: '', bytes: 0, rows: 0 },
  );
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
