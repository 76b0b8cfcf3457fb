import { reconcileBatch } from '../../support/end-batches.ts';
import { describe, expect, it } from 'vitest';
import type { ReconciledRow } from '../../../src/rows/rows.ts';
import { changeOutcomes, readChanges } from '../../../src/ledger/row/change-outcomes.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { findInvoice } from '../../../src/ledger/file/search.ts';
import { verifyAudit } from '../../../src/ledger/overview/verify-audit.ts';
import type { BatchRow, FileRow } from '../../../src/ledger/engine/records.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { keyOf, openTestLedger, outcomesOf, START } from '../../support/ledger-world.ts';
import type { SentOutcome } from '../../../schemas/lifecycle.ts';
import { readDueCorrections, recordOutput } from '../../../src/ledger/file/complete-file.ts';
import { findDueWork } from '../../support/due-work.ts';
import { recordResubmission } from '../../../src/ledger/row/resubmissions.ts';
import { listSameInvoice, type Payment, readPayment } from '../../../src/ledger/row/read-payment.ts';
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
    const outcomes = 'SELECT outcome FROM row_outcome WHERE file_no = $1 ORDER BY line';
    const first = await world.ledger.pool.query(outcomes, [fileNo]);
    expect(first.rows.map((row) => row.outcome)).toEqual(['approved', 'unknown']);
    const [found] = await findInvoice(world.ledger, `INV-${batch.file_id}-3`);
    expect(found).toMatchObject({ outcome: 'approved', code: null, message: 'OK: 1' });
    expect((await verifyAudit(world.ledger)).brokenAt).toBeUndefined();
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
    const corrections = async () =>
      (await readDueCorrections(world.ledger, [file.file_no])).map(({ correctionNo }) => correctionNo);
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

describe('readPayment', () => {
  const because = { actor: 'operator:ada', reason: 'the line is up again' };
  const read = (file: Pick<FileRow, 'file_id'>, line: number) =>
    readPayment(world.ledger, { fileId: file.file_id, line }, ['accept', 'hold']);
  const placesOf = ({ tries }: Payment) => tries.map(({ fileId, line }) => [fileId, line]);

  /** Makes a file of three rows, on lines 2 to 4, none of which was sent. */
  async function unsent(): Promise<FileRow> {
    const file = await world.accepted({ account: 'main', rowsPerBatch: 3 });
    await world.putBatch({ fileId: file.file_id, batchNo: 1 }, 'cancelled');
    return world.putFile(file.file_id, 'cancelled');
  }

  /** Sends rows of a file again, and takes in the new file, whose rows stand on the lines from 2 on. */
  async function again(file: FileRow, lines: readonly number[]): Promise<FileRow> {
    const order = { name: 'again.csv', sha256: `${file.file_id}${lines.join()}`, lines, cents: 1 };
    const number = await recordResubmission(world.ledger, file, order, because);
    const fresh = await unsent();
    await world.force('DELETE FROM payment_row WHERE file_no = $1 AND line > $2', [fresh.file_no, lines.length + 1]);
    await world.force(
      `UPDATE payment_row n SET invoice = o.invoice, amount_cents = o.amount_cents FROM payment_row o
       WHERE n.file_no = $1 AND o.file_no = $2 AND o.line = ($3::int[])[n.line - 1]`,
      [fresh.file_no, file.file_no, lines],
    );
    await world.force('UPDATE file SET records = $2 WHERE file_no = $1', [fresh.file_no, lines.length]);
    await world.force('UPDATE resubmission SET new_file_id = $2 WHERE resubmission_no = $1', [number, fresh.file_id]);
    return readFileRow(world.ledger, fresh.file_id);
  }

  it('finds the tries before and after a row, by its place in each file', async () => {
    const file = await unsent();
    const second = await again(file, [2, 4]);
    const third = await again(second, [3]);
    const all = [
      [file.file_id, 4],
      [second.file_id, 3],
      [third.file_id, 2],
    ];
    for (const [index, [fileId, line]] of all.entries()) {
      const payment = await read({ file_id: String(fileId) }, Number(line));
      expect([placesOf(payment), payment.at]).toEqual([all, index]);
    }
    expect(placesOf(await read(file, 3))).toEqual([[file.file_id, 3]]);
    expect(placesOf(await read(file, 2)).slice(1)).toEqual([[second.file_id, 2]]);
    expect((await read(file, 4)).tries[0]!.again).toMatchObject({ ...because, newFileId: second.file_id });
  });

  it('counts rows where cells of several lines leave gaps, and links no row with another invoice', async () => {
    const file = await unsent();
    const second = await again(file, [2, 4]);
    await world.force('UPDATE payment_row SET line = 7 WHERE file_no = $1 AND line = 3', [second.file_no]);
    const both = [
      [file.file_id, 4],
      [second.file_id, 7],
    ];
    expect(placesOf(await read(file, 4))).toEqual(both);
    expect(placesOf(await read(second, 7))).toEqual(both);
    await world.force(`UPDATE payment_row SET invoice = 'X' WHERE file_no = $1 AND line = 7`, [second.file_no]);
    expect(placesOf(await read(file, 4))).toEqual([both[0]]);
    expect(placesOf(await read(second, 7))).toEqual([both[1]]);
  });

  it('follows ten tries in each direction and says that there are more', async () => {
    const files = [await unsent()];
    for (let n = 0; n < 12; n += 1) files.push(await again(files.at(-1)!, [2]));
    const found = async (index: number) => {
      const { tries, at, hasEarlier, hasLater } = await read(files[index]!, 2);
      return [tries.length, at, hasEarlier, hasLater];
    };
    expect(await found(0)).toEqual([11, 0, false, true]);
    expect(await found(5)).toEqual([13, 5, false, false]);
    expect(await found(12)).toEqual([11, 10, true, false]);
  });

  it('reads outcomes, their changes, the wanted moves of its file, and the faults of this row alone', async () => {
    const { batch, fileNo, rows } = await reconciled();
    await change(batch, [{ ...rows[1]!, outcome: 'approved', message: 'OK', authorization: '7' }]);
    await world.force(
      `INSERT INTO row_fault (file_no, seq, line, code, detail) VALUES ($1, 91, 3, 'EXPIRY_PAST', 'd'), ($1, 92, 2, 'NO_ROWS', '')`,
      [fileNo],
    );
    const [found] = (await read(batch, 3)).tries;
    expect(found).toMatchObject({
      batchNo: 1,
      batchState: 'reconciled',
      first: { outcome: 'unknown', code: null, message: 'TIMEOUT', authorization: '' },
      changes: [{ outcome: 'approved', authorization: '7', at: new Date(START), source: 'asked again' }],
      faults: [{ code: 'EXPIRY_PAST', detail: 'd' }],
      again: null,
    });
    expect(found!.links.map(({ move }) => move)).toEqual(['accept']);
  });

  it('refuses a row that the ledger does not have, and repeats no number', async () => {
    const file = await unsent();
    await expect(read(file, 99)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await read({ file_id: '4222222222222220' }, 1).catch(String)).toMatch(/line 1 of file "\*+2220"/);
  });

  it('lists the other payments of an invoice in the same account, newest first', async () => {
    const file = await unsent();
    const second = await again(file, [2]);
    const [same, beside] = [await unsent(), await world.accepted({ account: 'side' })];
    const invoice = `INV-${file.file_id}-2`;
    for (const { file_no: no } of [same, beside])
      await world.force('UPDATE payment_row SET invoice = $2 WHERE file_no = $1 AND line = 3', [no, invoice]);
    expect(await listSameInvoice(world.ledger, await read(second, 2))).toMatchObject([
      { fileId: same.file_id, line: 3, outcome: null, batchState: 'cancelled' },
    ]);
  });
});
