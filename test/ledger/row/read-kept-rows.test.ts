import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyOutcomes } from '../../../src/ledger/row/copy-rows.ts';
import { changeOutcomes } from '../../../src/ledger/row/change-outcomes.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { NO_OUTCOME, readKeptRows } from '../../../src/ledger/row/read-kept-rows.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { keyOf, type LedgerWorld, openTestLedger, outcomesOf } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const ALL = { from: 0, to: 1_000 };

describe('readKeptRows', () => {
  it('gives the rows of a stretch of lines in their order, the first and the last line included', async () => {
    const { file_no: fileNo } = await world.accepted({ batches: 2, rowsPerBatch: 2, withheld: 2 });
    await world.accepted({ batches: 2 });
    const lines = async (from: number, to: number) =>
      (await readKeptRows(world.ledger, fileNo, { from, to })).map((row) => [row.line, row.batch_no]);
    expect(await lines(0, 1_000)).toEqual([
      [2, 1],
      [3, 1],
      [4, 2],
      [5, 2],
      [6, null],
      [7, null],
    ]);
    expect(await lines(3, 4)).toEqual([
      [3, 1],
      [4, 2],
    ]);
    expect(await lines(8, 1_000)).toEqual([]);
  });

  it('puts each outcome to its row, also when those around it have none', async () => {
    const batch = await world.batchIn('result_in', { withheld: 1 });
    const { file_no: fileNo } = await readFileRow(world.ledger, batch.file_id);
    const [, second] = outcomesOf(batch);
    await transact(world.ledger, (tx) =>
      copyOutcomes(tx, fileNo, [{ ...second!, message: `a "quoted"\\ text,\u2028 ü`, code: 15, outcome: 'declined' }]),
    );
    expect(await readKeptRows(world.ledger, fileNo, ALL)).toEqual([
      { line: 2, batch_no: 1, ...NO_OUTCOME },
      {
        line: 3,
        batch_no: 1,
        outcome: 'declined',
        code: 15,
        message: `a "quoted"\\ text,\u2028 ü`,
        authorization: second!.authorization,
      },
      { line: 4, batch_no: null, ...NO_OUTCOME },
    ]);
  });

  it('says how outcomes were first, after each correction, and how they are', async () => {
    const batch = await world.batchIn('result_in');
    const { file_no: fileNo } = await readFileRow(world.ledger, batch.file_id);
    const [first, second] = outcomesOf(batch);
    await transact(world.ledger, (tx) => copyOutcomes(tx, fileNo, [first!, { ...second!, outcome: 'unknown' }]));
    for (const [outcome, code] of [
      ['declined', 15],
      ['approved', null],
    ] as const) {
      await transact(world.ledger, (tx) =>
        changeOutcomes(tx, keyOf(batch), [{ ...second!, outcome, code }], {
          actor: 'worker:poll',
          reason: 'it says so',
          source: 'asked again',
        }),
      );
    }
    const outcomes = async (asOf: { correctionNo?: number }) =>
      (await readKeptRows(world.ledger, fileNo, ALL, asOf)).map((row) => [row.outcome, row.code]);
    expect(await outcomes({ correctionNo: 0 })).toEqual([
      ['approved', null],
      ['unknown', null],
    ]);
    expect((await outcomes({ correctionNo: 1 }))[1]).toEqual(['declined', 15]);
    expect((await outcomes({}))[1]).toEqual(['approved', null]);
  });
});
