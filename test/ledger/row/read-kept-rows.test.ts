import { describe, expect, it } from 'vitest';
import { outcomePacker } from '../../../src/rows/packed-outcomes.ts';
import type { ReconciledRow } from '../../../src/rows/rows.ts';
import { copyOutcomes } from '../../../src/ledger/row/copy-rows.ts';
import { copyRows } from '../support/put-rows.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { keyOf, openTestLedger, outcomesOf } from '../../support/ledger-world.ts';
import { changeOutcomes } from '../../../src/ledger/row/change-outcomes.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { type AsOf, type LineRange, NO_OUTCOME, readKeptRows } from '../../../src/ledger/row/read-kept-rows.ts';
import { keptRowAt, newRowPack, readPackedRows } from '../../../src/ledger/row/read-packed-rows.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

const row = (line: number, more: Partial<ReconciledRow> = {}): ReconciledRow => ({
  line,
  outcome: 'approved',
  code: null,
  message: 'OK: 678594',
  authorization: '678594',
  ...more,
});

const AWKWARD = ['', ' ', 'No\tfunds, \\N', 'two\r\nlines', 'äöü 漢字 \u{1F600}', 'x'.repeat(5_000)];

async function kept(fileNo: number): Promise<ReconciledRow[]> {
  const { rows } = await world.ledger.pool.query<ReconciledRow>(
    'SELECT line, outcome, code, message, "authorization" FROM row_outcome WHERE file_no = $1 ORDER BY line',
    [fileNo],
  );
  return rows;
}

describe('copyOutcomes', () => {
  it('keeps outcome, code, message and authorization of each row', async () => {
    const { file_no: fileNo } = await world.claimed();
    const rows = [
      row(3, { outcome: 'declined', code: 204, message: 'REJECT: 204', authorization: '' }),
      row(2),
      row(2_147_483_647, { outcome: 'accepted_pending', code: 0 }),
    ];
    expect(await transact(world.ledger, (tx) => copyOutcomes(tx, fileNo, rows))).toBe(3);
    expect(await kept(fileNo)).toEqual([rows[1], rows[0], rows[2]]);
  });

  it('keeps every text as it is', async () => {
    const { file_no: fileNo } = await world.claimed();
    const rows = AWKWARD.map((text, index) => row(index + 1, { message: text, authorization: text }));
    await transact(world.ledger, (tx) => copyOutcomes(tx, fileNo, rows));
    expect(await kept(fileNo)).toEqual(rows);
  });

  it('takes packed outcomes for what they are', async () => {
    const { file_no: fileNo } = await world.claimed();
    const packer = outcomePacker(2);
    packer.addRow(7, 'approved', null);
    packer.addBytes('message', Buffer.from('<OK: 1>'), 1, 6);
    packer.addBytes('authorization', Buffer.from('<OK: 1>'), 5, 6);
    packer.addRow(9, 'declined', 15);
    packer.addText('message', 'REJECT: 15');
    packer.addText('authorization', '');
    expect(await transact(world.ledger, (tx) => copyOutcomes(tx, fileNo, packer.finish()))).toBe(2);
    expect(await kept(fileNo)).toEqual([
      row(7, { message: 'OK: 1', authorization: '1' }),
      row(9, { outcome: 'declined', code: 15, message: 'REJECT: 15', authorization: '' }),
    ]);
  });

  it('replaces what PostgreSQL cannot keep', async () => {
    const { file_no: fileNo } = await world.claimed();
    await transact(world.ledger, (tx) => copyOutcomes(tx, fileNo, [row(1, { message: 'a\0b\ud83d' })]));
    expect((await kept(fileNo))[0]!.message).toBe('a\uFFFDb\uFFFD');
  });

  it('takes none for none, and many at once', async () => {
    const { file_no: fileNo } = await world.claimed();
    expect(await transact(world.ledger, (tx) => copyOutcomes(tx, fileNo, []))).toBe(0);
    const rows = Array.from({ length: 20_000 }, (_, index) => row(index + 2, { message: `OK: ${index}` }));
    expect(await transact(world.ledger, (tx) => copyOutcomes(tx, fileNo, rows))).toBe(20_000);
    expect((await kept(fileNo)).at(-1)).toEqual(rows.at(-1));
  });

  it('refuses the same line twice, says no data, and leaves a connection that works', async () => {
    const { file_no: fileNo } = await world.claimed();
    const twice = transact(world.ledger, (tx) => copyOutcomes(tx, fileNo, [row(1, { message: 'CANARY-77' }), row(1)]));
    const failure = await twice.catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: '23505', constraint: 'row_outcome_pkey' });
    expect(JSON.stringify(failure) + String((failure as Error).stack)).not.toContain('CANARY-77');
    expect(world.ledger.pool.idleCount).toBe(world.ledger.pool.totalCount);
    await transact(world.ledger, (tx) => copyOutcomes(tx, fileNo, [row(1)]));
    expect(await kept(fileNo)).toHaveLength(1);
  });
});

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

describe('readKeptRows', () => {
  const ALL = { from: 0, to: 1_000 };

  it('gives the rows of a range of lines in their order, the first and the last line included', async () => {
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
      { line: 2, batch_no: 1, amount_cents: 200, ...NO_OUTCOME },
      {
        line: 3,
        batch_no: 1,
        amount_cents: 300,
        outcome: 'declined',
        code: 15,
        message: `a "quoted"\\ text,\u2028 ü`,
        authorization: second!.authorization,
      },
      { line: 4, batch_no: null, amount_cents: null, ...NO_OUTCOME },
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
