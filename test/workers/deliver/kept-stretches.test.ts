import { describe, expect, it } from 'vitest';
import { copyRows } from '../../../src/ledger/row/copy-rows.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { stepWorld } from '../support/step-world.ts';
import { takeIn } from '../support/take-in.ts';
import { keptStretches } from '../../../workers/deliver/finished-pages.ts';

const world = stepWorld({ accounts: 2 });

/** Makes a file of two rows, with these further lines in the ledger and `physicalLines` as its line count. */
async function fileOf(more: readonly number[], physicalLines: number | null): Promise<FileRow> {
  const content = lines(upTo(2).map((n) => achRow(n)));
  const fileId = await takeIn(world.app, `drop/${world.freshAccount()}/ach-charge`, content);
  const file = await readFileRow(world.app.ledger, fileId);
  const rest = { batchNo: null, invoice: '', customerCode: '', amountCents: null, lastFour: '', fingerprint: null };
  const rows = more.map((line) => ({ line, ...rest }));
  await transact(world.app.ledger, (tx) => copyRows(tx, file.file_no, rows));
  return { ...file, physical_lines: physicalLines };
}

async function linesOf(file: FileRow): Promise<number[][]> {
  const stretches: number[][] = [];
  for await (const pack of keptStretches(world.app, file, {})) stretches.push([...pack.lines.subarray(0, pack.count)]);
  return stretches;
}

describe('keptStretches', () => {
  it('gives all rows of a file in their order, also such as stand behind its end', async () => {
    const more = [9_999, 10_000, 19_999, 20_000, 29_999, 30_000, 40_000, 2_000_000_000];
    const file = await fileOf(more, 30_000);
    expect(await linesOf(file)).toEqual([
      [1, 2, 9_999],
      [10_000, 19_999],
      [20_000, 29_999],
      [30_000, 40_000, 2_000_000_000],
    ]);
    for (const physicalLines of [null, 2, 9_999, 10_000, 29_999])
      expect((await linesOf({ ...file, physical_lines: physicalLines })).flat()).toEqual([1, 2, ...more]);
  });

  it('says so when the ledger cannot be asked', async () => {
    const file = await fileOf([], 2);
    await expect(linesOf({ ...file, file_no: Number.NaN })).rejects.toThrow(/nan/i);
    expect((await linesOf(file)).flat()).toEqual([1, 2]);
  });
});
