import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ReconciledRow } from '../../../src/rows/rows.ts';
import { changeOutcomes } from '../../../src/ledger/row/change-outcomes.ts';
import { readOutputs } from '../../../src/ledger/file/read-file.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { CARD, cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { fileWithOutcomes, linesOf } from '../support/story.ts';
import { cutAtStatement, POWER_CUT, stepWorld } from '../support/step-world.ts';
import { forceSql } from '../../support/force-sql.ts';
import { deliverFile } from '../../support/work-alone.ts';

const world = stepWorld({ accounts: 12, settings: { batch: { maxRows: 3 } } });

const CONTENT = lines([...upTo(11).map((n) => cardRow(n)), cardRow(12, { amount: 'ten' })]);
const KINDS = ['result.c01.csv', 'summary.c01.json', 'summary.c01.txt'];

/** Makes a completed file of twelve rows; the third is in doubt, the last withheld. */
async function completed(): Promise<FileRow> {
  const file = await fileWithOutcomes(world, 'card', CONTENT, (row) => (row === 3 ? 'TIMEOUT' : 'OK: 1'));
  await deliverFile(world.app, { fileId: file.file_id });
  return world.file(file.file_id);
}

/** Corrects a row as the service or a user would. */
async function correct(file: FileRow, line: number, change: Partial<ReconciledRow>): Promise<void> {
  const row: ReconciledRow = {
    line,
    outcome: 'approved',
    code: null,
    message: 'OK: 7:',
    authorization: '7',
    ...change,
  };
  const by = { actor: 'operator:ada', reason: 'seen in the report', source: '=report of the service' };
  const key = { fileId: file.file_id, batchNo: Math.ceil(line / 3) };
  await transact(world.app.ledger, (tx) => changeOutcomes(tx, key, [row], by));
}

const deliver = (file: FileRow, app = world.app) => deliverFile(app, { fileId: file.file_id });
const pathOf = (file: FileRow, suffix: string) =>
  join(world.settings.paths.out, `june__${file.file_id.slice(0, 8)}.${suffix}`);
const readAll = (file: FileRow) =>
  Promise.all([...KINDS, 'result.csv', 'summary.json'].map((suffix) => readFile(pathOf(file, suffix), 'utf8')));

describe('writeResultCorrection', () => {
  it('writes the changed row as it is, in the columns of the result, and as it was', async () => {
    const file = await completed();
    const before = await readFile(pathOf(file, 'result.csv'), 'utf8');
    await correct(file, 3, {});
    await deliver(file);
    const [titles, row, ...more] = await linesOf(pathOf(file, 'result.c01.csv'));
    expect(more).toEqual([]);
    expect(titles).toMatch(
      /^Line,Date,.*,Outcome,Code,.*,Meaning,Old Outcome,Old Code,Old Message,Changed At,Evidence$/,
    );
    expect(titles!.startsWith(before.split('\r\n')[0]!)).toBe(true);
    expect(row).toMatch(
      /^3,06\/15\/2026,C-3,.*,\*{12}2220,12\/35,APPROVED,,OK: 7:,7,\d+,.*,1,[\d.]+,USD,[^,]+,Charged; nothing to do,UNKNOWN,,TIMEOUT,20/,
    );
    expect(row!.endsWith(`,'=report of the service`)).toBe(true);
    expect(row).not.toContain(CARD);
    expect(await readFile(pathOf(file, 'result.csv'), 'utf8')).toBe(before);
  });

  it('adds a summary of what it comes to, and control totals that hold', async () => {
    const file = await completed();
    await correct(file, 3, { outcome: 'declined', code: 15, message: 'REJECT: 15', authorization: '' });
    await deliver(file);
    const summary = JSON.parse(await readFile(pathOf(file, 'summary.c01.json'), 'utf8'));
    expect(summary).toMatchObject({
      file: { fileId: file.file_id },
      correctionNo: 1,
      changes: [{ before: 'UNKNOWN', after: 'DECLINED', rows: 1, total: '25.00' }],
      outcomes: { APPROVED: { rows: 10, total: '250.00' }, DECLINED: { rows: 1 }, INVALID: { rows: 1 } },
      controlTotals: [
        { id: 'H7', holds: true },
        { id: 'H8', holds: true },
      ],
    });
    const text = await readFile(pathOf(file, 'summary.c01.txt'), 'utf8');
    expect(text).toContain('june.csv, correction 1');
    expect(text).toMatch(/UNKNOWN -> DECLINED +1 +25\.00/);
  });

  it('numbers the corrections of a file, and none alters the one before', async () => {
    const file = await completed();
    await correct(file, 3, {});
    await deliver(file);
    const before = await readAll(file);
    await correct(file, 3, { outcome: 'declined', code: 14, message: 'REJECT: 14' });
    await correct(file, 8, { outcome: 'unknown', message: 'TIMEOUT' });
    await deliver(file);
    expect(await readAll(file)).toEqual(before);
    const [, second] = await linesOf(pathOf(file, 'result.c02.csv'));
    expect(second).toMatch(/^3,.*,DECLINED,14,REJECT: 14,7,.*,APPROVED,,OK: 7:,/);
    const [, third] = await linesOf(pathOf(file, 'result.c03.csv'));
    expect(third).toMatch(/^8,.*,UNKNOWN,,TIMEOUT,7,.*,APPROVED,,OK: 1,/);
    const outputs = await readOutputs(world.app.ledger, file.file_id);
    expect(outputs.filter((output) => output.number > 0)).toHaveLength(9);
  });

  it('gives the same bytes from the ledger alone, whatever came after', async () => {
    const file = await completed();
    await correct(file, 3, {});
    await deliver(file);
    const before = await readAll(file);
    await correct(file, 3, { outcome: 'unknown' });
    await world.query('DELETE FROM output WHERE file_id = $1 AND number > 0', [file.file_id]);
    await rm(world.settings.paths.out, { recursive: true });
    await mkdir(world.settings.paths.out);
    await deliver(file);
    expect(await Promise.all(KINDS.map((suffix) => readFile(pathOf(file, suffix), 'utf8')))).toEqual(
      before.slice(0, 3),
    );
  });

  it('waits for the result that it corrects', async () => {
    const file = await fileWithOutcomes(world, 'card', CONTENT, () => 'TIMEOUT');
    await correct(file, 3, {});
    await deliver(file);
    const result = await linesOf(pathOf(file, 'result.csv'));
    expect(result.filter((row) => row.includes(',UNKNOWN,'))).toHaveLength(11);
    expect(await linesOf(pathOf(file, 'result.c01.csv'))).toHaveLength(2);
  });

  it('after a power cut when it was written and not noted goes on with the same bytes', async () => {
    const file = await completed();
    await correct(file, 3, {});
    const cut = cutAtStatement(world.app, /commit_outputs/);
    await expect(deliver(file, cut.app)).rejects.toThrow(POWER_CUT);
    await deliver(file);
    expect(KINDS.map((suffix) => existsSync(pathOf(file, suffix)))).toEqual([true, true, true]);
    const outputs = await readOutputs(world.app.ledger, file.file_id);
    expect(outputs.filter((output) => output.number === 1)).toHaveLength(3);
  });

  it.each([
    ['H7', 'UPDATE batch SET cents = cents + 1 WHERE file_id = $1 AND batch_no = 1'],
    ['H7', 'UPDATE batch SET rows = rows + 1 WHERE file_id = $1 AND batch_no = 2'],
  ])('%s that does not hold stops it, and no summary says otherwise', async (id, sql) => {
    const file = await completed();
    await correct(file, 3, {});
    await forceSql(world.app, sql, [file.file_id]);
    await expect(deliver(file)).rejects.toThrow(new RegExp(`control totals differ: ${id} `));
    expect(existsSync(pathOf(file, 'summary.c01.json'))).toBe(false);
  });
});
