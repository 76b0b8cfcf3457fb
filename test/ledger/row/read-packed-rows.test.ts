import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyOutcomes, copyRows } from '../../../src/ledger/row/copy-rows.ts';
import { changeOutcomes } from '../../../src/ledger/row/change-outcomes.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { type AsOf, type LineRange, readKeptRows } from '../../../src/ledger/row/read-kept-rows.ts';
import { keptRowAt, newRowPack, readPackedRows } from '../../../src/ledger/row/read-packed-rows.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { keyOf, type LedgerWorld, openTestLedger, outcomesOf } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const ALL = { from: 0, to: 2_147_483_647 };

async function packed(fileNo: number, range: LineRange, asOf?: AsOf, pack = newRowPack(0)) {
  await readPackedRows(world.ledger, fileNo, range, pack, asOf);
  return Array.from({ length: pack.count }, (_, place) => keptRowAt(pack, place));
}

describe('readPackedRows', () => {
  it('reads what readKeptRows reads: batches, withheld rows, outcomes of any text, rows without', async () => {
    const batch = await world.batchIn('result_in', { withheld: 2, rowsPerBatch: 3 });
    const { file_no: fileNo } = await readFileRow(world.ledger, batch.file_id);
    const [first, , third] = outcomesOf(batch);
    const texts = [`a "quoted"\\ text,\u2028 ü 😀`, '', 'x'.repeat(5_000)];
    await transact(world.ledger, (tx) =>
      copyOutcomes(tx, fileNo, [
        { ...first!, message: texts[0]!, code: 15, outcome: 'declined' },
        { ...third!, message: texts[1]!, authorization: texts[2]! },
      ]),
    );
    const rows = await packed(fileNo, ALL);
    expect(rows).toEqual(await readKeptRows(world.ledger, fileNo, ALL));
    expect(rows.map(({ outcome, batch_no }) => [outcome, batch_no])).toEqual([
      ['declined', 1],
      [null, 1],
      [third!.outcome, 1],
      [null, null],
      [null, null],
    ]);
    for (const range of [
      { from: 3, to: 4 },
      { from: 9, to: 99 },
    ])
      expect(await packed(fileNo, range)).toEqual(await readKeptRows(world.ledger, fileNo, range));
  });

  it('fills a pack again, and makes it larger where it must', async () => {
    const { file_no: fileNo } = await world.accepted({ batches: 2, rowsPerBatch: 2 });
    const withheld = (line: number) => ({
      line,
      batchNo: null,
      invoice: '',
      customerCode: '',
      amountCents: null,
      lastFour: '',
      fingerprint: null,
    });
    const more = Array.from({ length: 1_000 }, (_, index) => withheld(100 + index));
    await transact(world.ledger, (tx) => copyRows(tx, fileNo, more));
    const pack = newRowPack(1);
    expect(await packed(fileNo, ALL, {}, pack)).toHaveLength(1_004);
    expect(await packed(fileNo, { from: 0, to: 50 }, {}, pack)).toEqual(
      await readKeptRows(world.ledger, fileNo, { from: 0, to: 50 }),
    );
    expect(await packed(fileNo, ALL, {}, pack)).toEqual(await readKeptRows(world.ledger, fileNo, ALL));
  });

  it('says how outcomes were first, after each correction, and how they are', async () => {
    const batch = await world.batchIn('result_in');
    const { file_no: fileNo } = await readFileRow(world.ledger, batch.file_id);
    const [first, second] = outcomesOf(batch);
    await transact(world.ledger, (tx) => copyOutcomes(tx, fileNo, [first!, { ...second!, outcome: 'unknown' }]));
    for (const outcome of ['declined', 'approved'] as const) {
      const why = { actor: 'worker:poll', reason: 'it says so', source: 'asked again' };
      await transact(world.ledger, (tx) => changeOutcomes(tx, keyOf(batch), [{ ...second!, outcome, code: 15 }], why));
    }
    const outcomes = async (asOf: AsOf) => (await packed(fileNo, ALL, asOf)).map((row) => row.outcome);
    expect(await outcomes({ correctionNo: 0 })).toEqual(['approved', 'unknown']);
    expect(await outcomes({ correctionNo: 1 })).toEqual(['approved', 'declined']);
    expect(await outcomes({})).toEqual(['approved', 'approved']);
    for (const asOf of [{ correctionNo: 0 }, { correctionNo: 1 }, {}])
      expect(await packed(fileNo, ALL, asOf)).toEqual(await readKeptRows(world.ledger, fileNo, ALL, asOf));
  });
});
