import { describe, expect, it } from 'vitest';
import type { Fault } from '../../../src/rows/rows.ts';
import { BATCH_STATES, type BatchState } from '../../../schemas/lifecycle.ts';
import { copyFaults, copyOutcomes } from '../../../src/ledger/row/copy-rows.ts';
import { changeOutcomes } from '../../../src/ledger/row/change-outcomes.ts';
import { recordOutput } from '../../../src/ledger/file/complete-file.ts';
import {
  findFilesWithoutOpenBatch,
  readBatches,
  readBatchRow,
  readFaults,
  readFileRow,
  readFileState,
  readOutcomeTotals,
  readOutputs,
  readRows,
  readSentRows,
} from '../../../src/ledger/file/read-file.ts';
import { readSealedPart } from '../../../src/ledger/batch/read-sealed-part.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { keyOf, openTestLedger, outcomesOf } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

async function collect<Item>(pages: AsyncIterable<Item[]>): Promise<Item[][]> {
  const collected: Item[][] = [];
  for await (const page of pages) collected.push(page);
  return collected;
}

describe('readFileRow and readFileState', () => {
  it('read a file', async () => {
    const file = await world.accepted();
    expect(await readFileRow(world.ledger, file.file_id)).toEqual(file);
    expect(await readFileState(world.ledger, file.file_id)).toBe('accepted');
  });

  it('differ on a file that the ledger does not know', async () => {
    await expect(readFileRow(world.ledger, 'nosuchfile')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('find file "nosuchfile"'),
    });
    expect(await readFileState(world.ledger, 'nosuchfile')).toBeUndefined();
  });
});

describe('readBatchRow, readBatches and readSealedPart', () => {
  it('read the batches of a file in their order', async () => {
    const { file_id: fileId } = await world.accepted({ batches: 11, rowsPerBatch: 1 });
    const batches = await readBatches(world.ledger, fileId);
    expect(batches.map((batch) => batch.batch_no)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(await readBatchRow(world.ledger, { fileId, batchNo: 7 })).toEqual(batches[6]);
    expect(await readSealedPart(world.ledger, { fileId, batchNo: 7 }, 'body')).toEqual(Buffer.from('sealed body 7'));
  });

  it('say what cannot be found', async () => {
    const { file_id: fileId } = await world.accepted();
    const missing = { fileId, batchNo: 2 };
    await expect(readBatchRow(world.ledger, missing)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining(`find batch 2 of file "${fileId}"`),
    });
    await expect(readSealedPart(world.ledger, { fileId, batchNo: 1 }, 'result')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('find the result of batch 1'),
    });
    expect(await readBatches(world.ledger, 'nosuchfile')).toEqual([]);
  });
});

describe('findFilesWithoutOpenBatch', () => {
  it.each(Object.keys(BATCH_STATES) as BatchState[])('knows whether a batch that is %s is open', async (state) => {
    const { file_id: fileId } = await world.accepted({ batches: 2 });
    await world.putBatch({ fileId, batchNo: 1 }, 'reconciled');
    await world.putBatch({ fileId, batchNo: 2 }, state);
    const isEnded = state === 'reconciled' || state === 'cancelled';
    expect(await findFilesWithoutOpenBatch(world.ledger, [fileId])).toEqual(
      isEnded ? [{ site: 'main', fileIds: [fileId] }] : [],
    );
  });

  it('gives files without batches, in their order', async () => {
    const files = [await world.accepted({ batches: 0 }), await world.accepted({ batches: 0 })];
    const fileIds = files.map((file) => file.file_id);
    expect(await findFilesWithoutOpenBatch(world.ledger, [...fileIds].reverse())).toEqual([{ site: 'main', fileIds }]);
    expect(await findFilesWithoutOpenBatch(world.ledger, ['nosuchfile'])).toEqual([]);
  });
});

describe('readOutputs', () => {
  it('reads them in the order in which they were written', async () => {
    const { file_id: fileId } = await world.accepted();
    for (const kind of ['summary-txt', 'ack', 'result'] as const) {
      await recordOutput(
        world.ledger,
        { file: await readFileRow(world.ledger, fileId) },
        { kind, name: kind, sha256: 'ff', bytes: 1, rows: 2 },
      );
      world.clock.advance(1);
    }
    expect((await readOutputs(world.ledger, fileId)).map((output) => output.kind)).toEqual([
      'summary-txt',
      'ack',
      'result',
    ]);
  });
});

describe('readSentRows', () => {
  it('reads the rows of one batch as they are sent', async () => {
    const { file_no: fileNo, file_id: fileId } = await world.accepted({ batches: 2, rowsPerBatch: 2, withheld: 1 });
    const [, second] = await readBatches(world.ledger, fileId);
    expect(await readSentRows(world.ledger, fileNo, second!)).toEqual([
      { line: 4, invoice: `INV-${fileId}-4`, customerCode: '', amountCents: 400, lastFour: '0001' },
      { line: 5, invoice: `INV-${fileId}-5`, customerCode: '', amountCents: 500, lastFour: '0001' },
    ]);
    // Lines alone do not put a row into the batch: withheld rows lie among them.
    expect(await readSentRows(world.ledger, fileNo, { ...second!, batch_no: 3 })).toEqual([]);
  });
});

describe('readRows', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 100])('reads every row once, in order, in pages of %i', async (pageRows) => {
    const { file_no: fileNo } = await world.accepted({ batches: 2, rowsPerBatch: 2, withheld: 2 });
    await world.accepted({ batches: 2 });
    const pages = await collect(readRows(world.ledger, fileNo, { pageRows }));
    expect(pages.flat().map((row) => row.line)).toEqual([2, 3, 4, 5, 6, 7]);
    expect(pages.flat().map((row) => row.batch_no)).toEqual([1, 1, 2, 2, null, null]);
    expect(pages.map((page) => page.length)).toEqual(pageSizes(6, pageRows));
  });

  it('begins behind a line', async () => {
    const { file_no: fileNo } = await world.accepted({ batches: 2, rowsPerBatch: 2 });
    const pages = await collect(readRows(world.ledger, fileNo, { after: 3, pageRows: 1 }));
    expect(pages.flat().map((row) => row.line)).toEqual([4, 5]);
    expect(await collect(readRows(world.ledger, fileNo, { after: 5 }))).toEqual([]);
  });

  it('brings the outcome of a row that has one', async () => {
    const batch = await world.batchIn('result_in', { withheld: 1 });
    const { file_no: fileNo } = await readFileRow(world.ledger, batch.file_id);
    await transact(world.ledger, (tx) => copyOutcomes(tx, fileNo, outcomesOf(batch).slice(0, 1)));
    const [rows] = await collect(readRows(world.ledger, fileNo));
    const none = { outcome: null, code: null, message: null, authorization: null };
    expect(rows).toEqual([
      {
        line: 2,
        batch_no: 1,
        invoice: `INV-${batch.file_id}-2`,
        customer_code: '',
        amount_cents: 200,
        last_four: '0001',
        outcome: 'approved',
        code: null,
        message: 'Approved',
        authorization: 'A1',
      },
      expect.objectContaining({ line: 3, batch_no: 1, ...none }),
      expect.objectContaining({ line: 4, batch_no: null, amount_cents: null, ...none }),
    ]);
  });

  it('gives no page for a file without rows', async () => {
    const { file_no: fileNo } = await world.claimed();
    expect(await collect(readRows(world.ledger, fileNo))).toEqual([]);
  });
});

describe('readFaults', () => {
  it.each([1, 2, 3, 4, 100])('reads every fault once, in the order found, in pages of %i', async (pageRows) => {
    const { file_no: fileNo } = await world.claimed();
    const faults: Fault[] = [
      { code: 'AMOUNT_ZERO', line: 9, column: 'amount', detail: 'zero', value: '0.00' },
      { code: 'AMOUNT_ZERO', line: 3 },
      { code: 'MIXED_LINE_ENDS', line: 0 },
    ];
    await transact(world.ledger, (tx) => copyFaults(tx, fileNo, 1, faults));
    const pages = await collect(readFaults(world.ledger, fileNo, { pageRows }));
    expect(pages.flat()).toEqual(faults);
    expect(pages.map((page) => page.length)).toEqual(pageSizes(3, pageRows));
  });
});

describe('readOutcomeTotals', () => {
  it('sums rows and money per outcome, withheld and unsent ones included', async () => {
    const { file_id: fileId, file_no: fileNo } = await world.accepted({ batches: 2, withheld: 3 });
    const batch = await world.putBatch({ fileId, batchNo: 1 }, 'result_in');
    const [first, second] = outcomesOf(batch);
    const outcomes = [first!, { ...second!, outcome: 'unknown' as const }];
    await transact(world.ledger, (tx) => copyOutcomes(tx, fileNo, outcomes));
    expect(await readOutcomeTotals(world.ledger, fileNo)).toEqual({
      approved: { rows: 1, cents: 200 },
      unknown: { rows: 1, cents: 300 },
      not_sent: { rows: 2, cents: 900 },
      invalid: { rows: 3, cents: 0 },
    });
    expect(keyOf(batch)).toEqual({ fileId, batchNo: 1 });
  });

  it('says how they were first, after each correction, and how they are, as readRows does', async () => {
    const batch = await world.batchIn('result_in', { withheld: 1 });
    const { file_no: fileNo } = await readFileRow(world.ledger, batch.file_id);
    const [first, second] = outcomesOf(batch);
    await transact(world.ledger, (tx) => copyOutcomes(tx, fileNo, [first!, { ...second!, outcome: 'unknown' }]));
    const correct = (outcome: 'approved' | 'declined', code: number | null) =>
      transact(world.ledger, (tx) =>
        changeOutcomes(tx, keyOf(batch), [{ ...second!, outcome, code }], {
          actor: 'worker:poll',
          reason: 'it says so',
          source: 'asked again',
        }),
      );
    await correct('declined', 15);
    await correct('approved', null);
    const invalid = { rows: 1, cents: 0 };
    const approved = { rows: 1, cents: 200 };
    const one = { rows: 1, cents: 300 };
    const totals = [];
    for (const correctionNo of [0, 1, 2]) totals.push(await readOutcomeTotals(world.ledger, fileNo, { correctionNo }));
    expect(totals).toEqual([
      { approved, unknown: one, invalid },
      { approved, declined: one, invalid },
      { approved: { rows: 2, cents: 500 }, invalid },
    ]);
    expect(await readOutcomeTotals(world.ledger, fileNo)).toEqual(totals[2]);
    const rows = [];
    for (const asOf of [{ correctionNo: 0 }, { correctionNo: 1 }, {}]) {
      const [page] = await collect(readRows(world.ledger, fileNo, asOf));
      rows.push([page![1]!.outcome, page![1]!.code]);
    }
    expect(rows).toEqual([
      ['unknown', null],
      ['declined', 15],
      ['approved', null],
    ]);
  });

  it('is empty for a file without rows', async () => {
    const { file_no: fileNo } = await world.claimed();
    expect(await readOutcomeTotals(world.ledger, fileNo)).toEqual({});
  });
});

/** Returns full pages and a last one with the rest. */
function pageSizes(count: number, size: number): number[] {
  const rest = count % size;
  return [...Array<number>(Math.floor(count / size)).fill(size), ...(rest ? [rest] : [])];
}
