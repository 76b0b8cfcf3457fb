import { describe, expect, it } from 'vitest';
import { copyFaults } from '../../../src/ledger/row/copy-rows.ts';
import { copyRows } from '../../ledger/support/put-rows.ts';
import type { BatchRow, FileRow } from '../../../src/ledger/engine/records.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { achRow, codeRow, lines, upTo } from '../../support/payment-rows.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { stepWorld } from '../support/step-world.ts';
import { faultFinder, keptRanges, rowDescriber } from '../../../workers/deliver/finished-pages.ts';
import { cellsOfLines } from '../../../workers/deliver/write-result-correction.ts';
import type { Fault } from '../../../src/rows/rows.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import type { KeptRow } from '../../../src/ledger/row/read-kept-rows.ts';

const world = stepWorld({ accounts: 10 });

/** Makes a file of two rows, with these further lines in the ledger and `physicalLines` as its line count. */
async function fileOf(more: readonly number[], physicalLines: number | null): Promise<FileRow> {
  const content = lines(upTo(2).map((n) => achRow(n)));
  const fileId = await world.takeIn(`drop/${world.freshAccount()}/ach-charge`, content);
  const file = await world.file(fileId);
  const rest = { batchNo: null, invoice: '', customerCode: '', amountCents: null, lastFour: '', fingerprint: null };
  const rows = more.map((line) => ({ line, ...rest }));
  await transact(world.app.ledger, (tx) => copyRows(tx, file.file_no, rows));
  return { ...file, physical_lines: physicalLines };
}

async function linesOf(file: FileRow): Promise<number[][]> {
  const ranges: number[][] = [];
  for await (const pack of keptRanges(world.app, file, {})) ranges.push([...pack.lines.subarray(0, pack.count)]);
  return ranges;
}

describe('keptRanges', () => {
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

describe('cellsOfLines', () => {
  it('reads the cells of the lines asked for, by their physical line', async () => {
    const content = `Invoice #,Customer Code,Amount,Comment\n\n${lines(upTo(5).map((n) => codeRow(n)))}`;
    const fileId = await world.takeIn(`drop/${world.freshAccount()}/ach-charge`, content);
    const file = await world.file(fileId);
    expect([...(await cellsOfLines(world.app, file, [5, 3]))]).toEqual([
      [3, ['K-1', 'A10000001', '25.00', 'June dues']],
      [5, ['K-3', 'A10000003', '25.00', 'June dues']],
    ]);
    expect([...(await cellsOfLines(world.app, file, [99]))]).toEqual([]);
    expect([...(await cellsOfLines(world.app, file, []))]).toEqual([]);
  });
});

const ledgerWorld = openedForTests(openTestLedger);

async function fileWith(faults: readonly Fault[]): Promise<number> {
  const { file_no: fileNo } = await ledgerWorld.claimed();
  await transact(ledgerWorld.ledger, (tx) => copyFaults(tx, fileNo, 1, faults));
  return fileNo;
}

function bad(line: number, code: Fault['code'] = 'AMOUNT_ZERO'): Fault {
  return { line, code };
}

describe('faultFinder', () => {
  it('gives the faults of each page of lines, those of one line in their order', async () => {
    const faults = [bad(2), bad(2, 'AMOUNT_FORMAT'), bad(5), bad(9), bad(10), bad(11)];
    const find = faultFinder(ledgerWorld.ledger, await fileWith(faults));
    const found = [];
    for (const lines of [[1, 2, 3], [4, 5, 6], [7, 8], [11]]) found.push([...(await find(lines)).values()].flat());
    expect(found).toEqual([[faults[0], faults[1]], [faults[2]], [], [faults[5]]]);
  });

  it('passes over notes, over faults of the file, and over what was found later of lines that are behind', async () => {
    const faults = [
      bad(0),
      bad(2),
      bad(2, 'TEXT_REPLACED'),
      bad(0, 'MIXED_LINE_ENDS'),
      bad(8),
      bad(1, 'CHARGED_BEFORE'),
    ];
    const find = faultFinder(ledgerWorld.ledger, await fileWith(faults));
    expect([...(await find([2, 3])).entries()]).toEqual([[2, [faults[1]]]]);
    expect([...(await find([4, 8])).entries()]).toEqual([[8, [faults[4]]]]);
    expect((await find([9, 10])).size).toBe(0);
  });

  it('reads on through many pages of the ledger', async () => {
    const faults = Array.from({ length: 9_000 }, (_, index) => bad(index + 1));
    const find = faultFinder(ledgerWorld.ledger, await fileWith(faults));
    expect((await find([1, 4_500])).size).toBe(4_500);
    expect((await find([8_999, 9_000])).size).toBe(2);
  });
});

const FORM = { account: 'main', timeZone: 'America/New_York', currency: 'USD' };
const SENT = {
  batch_no: 1,
  batch_id: '4471',
  attempt: 2,
  submitted_at: new Date('2026-06-15T14:00:00Z'),
  result_at: new Date('2026-06-15T14:00:30Z'),
} as BatchRow;
const UNSENT = { batch_no: 2, batch_id: null, attempt: 1, submitted_at: null, result_at: null } as BatchRow;

const describeRow = rowDescriber({ output_form: FORM } as FileRow, [SENT, UNSENT]);

function kept(row: Partial<KeptRow>): KeptRow {
  return {
    line: 3,
    batch_no: 1,
    amount_cents: 2_500,
    outcome: null,
    code: null,
    message: null,
    authorization: null,
    ...row,
  };
}

describe('rowDescriber', () => {
  it('says what became of a row that was sent, times in the zone of the account', () => {
    const row = kept({ outcome: 'declined', code: 15, message: 'REJECT: 15', authorization: '' });
    expect(describeRow(row, [])).toEqual({
      line: 3,
      outcome: 'declined',
      code: 15,
      message: 'REJECT: 15',
      authorization: '',
      batchId: '4471',
      sentAt: expect.stringContaining('2026-06-15 10:00:00'),
      resultAt: expect.stringContaining('2026-06-15 10:00:30'),
      attempt: 2,
      cents: 2_500,
      currency: 'USD',
      account: 'main',
    });
  });

  it('says so when a row was never sent', () => {
    expect(describeRow(kept({ batch_no: 2 }), [])).toMatchObject({
      outcome: 'not_sent',
      message: 'never sent',
      batchId: '',
      sentAt: '',
      attempt: null,
    });
  });

  it('says why a row was withheld, leaving out notes', () => {
    const faults = [
      { line: 3, code: 'AMOUNT_FORMAT' },
      { line: 3, code: 'TEXT_REPLACED' },
      { line: 3, code: 'AMOUNT_ZERO' },
    ] as const;
    expect(describeRow(kept({ batch_no: null }), faults)).toMatchObject({
      outcome: 'invalid',
      message: expect.stringMatching(/^AMOUNT_FORMAT: [^;]+; AMOUNT_ZERO: [^;]+$/),
      attempt: null,
    });
  });

  it.each([
    ['Received\u2028 by \ufffd bank', 'Received  by   bank'],
    ['of 4222222222222220', 'of ************2220'],
  ])('shows no message that could not be read back, and no number: %j', (message, shown) => {
    expect(describeRow(kept({ outcome: 'unknown', message }), []).message).toBe(shown);
  });
});
