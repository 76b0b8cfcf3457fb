import { open } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { finishedPages, finishedRows } from '../../../workers/deliver/finished-pages.ts';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { carryOut } from '../support/carry-out.ts';
import { stepWorld } from '../support/step-world.ts';
import { query } from '../support/story.ts';
import { takeIn } from '../support/take-in.ts';

const world = stepWorld({ accounts: 10, settings: { batch: { maxRows: 5_000 } } });

async function finished(content: string, messageOf: (row: number) => string = () => 'Received'): Promise<FileRow> {
  const fileId = await takeIn(world.app, `drop/${world.freshAccount()}/ach-charge`, content);
  await carryOut(world.app, fileId, messageOf);
  return readFileRow(world.app.ledger, fileId);
}

async function all(file: FileRow) {
  const rows = [];
  for await (const page of finishedRows(world.app, file)) rows.push(...page);
  return rows;
}

describe('finishedPages and finishedRows', () => {
  it('gives every row with its cells and outcome, in input order, line numbers as in the file', async () => {
    const bad = achRow(2, { amount: 'ten' });
    const good = upTo(12).filter((n) => n !== 2);
    const title = 'Invoice Number,First Name,Last Name,Account Type,Account Number,Amount,Comment\n';
    const content = `${title}${achRow(1)}\n\n${bad}\n${lines(good.slice(1).map((n) => achRow(n)))}`;
    const file = await finished(content, (row) => (row === 1 ? 'REJECT: 40' : 'Received'));
    const rows = await all(file);
    expect(rows.map(({ row }) => row.line)).toEqual([2, 4, ...upTo(10).map((n) => n + 4)]);
    expect(rows.map(({ cells }) => cells[0])).toEqual(['A-1', 'A-2', ...good.slice(1).map((n) => `A-${n}`)]);
    expect(rows[0]?.row).toMatchObject({ outcome: 'declined', code: 40, message: 'REJECT: 40', attempt: 1 });
    expect(rows[1]?.row).toMatchObject({
      outcome: 'invalid',
      code: null,
      message: 'AMOUNT_FORMAT: the amount is not a plain decimal',
      batchId: '',
      sentAt: '',
      attempt: null,
    });
    expect(rows[2]?.row).toMatchObject({
      outcome: 'accepted_pending',
      batchId: expect.stringMatching(/^\d+$/),
      sentAt: expect.stringMatching(/^\d{4}-\d\d-\d\d /),
    });
  });

  it('takes what no reader of lines takes out of the message of the service', async () => {
    const file = await finished(lines([achRow(1)]), () => 'Received\u2028 by \ufffd bank');
    expect((await all(file))[0]?.row.message).toBe('Received  by   bank');
  });

  it('tells apart what was never sent: its batch was cancelled', async () => {
    const fileId = await takeIn(world.app, `drop/${world.freshAccount()}/ach-charge`, lines([achRow(1)]));
    await query(world.app, `UPDATE batch SET state = 'cancelled' WHERE file_id = $1`, [fileId]);
    const [row] = await all(await readFileRow(world.app.ledger, fileId));
    expect(row?.row).toMatchObject({ outcome: 'not_sent', message: 'never sent', attempt: null });
  });

  it('reads a file of many pages in step', async () => {
    const file = await finished(lines(upTo(4_500).map((n) => achRow(n, n % 500 === 0 ? { amount: 'ten' } : {}))));
    const rows = await all(file);
    expect(rows).toHaveLength(4_500);
    expect(rows.every(({ row, cells }) => cells[0] === `A-${row.line}`)).toBe(true);
    expect(rows.filter(({ row }) => row.message.startsWith('AMOUNT_FORMAT')).map(({ row }) => row.line)).toEqual(
      upTo(9).map((n) => n * 500),
    );
  });

  it('throws rather than give a row the cells of another: a row of the ledger is gone', async () => {
    const file = await finished(lines(upTo(3).map((n) => achRow(n))));
    await query(world.app, 'ALTER TABLE payment_row DISABLE TRIGGER rows_written_once');
    await query(world.app, 'DELETE FROM payment_row WHERE file_no = $1 AND line = 1', [file.file_no]);
    await query(world.app, 'ALTER TABLE payment_row ENABLE TRIGGER rows_written_once');
    await expect(all(file)).rejects.toThrow(/line 2 is missing/);
  });

  it('throws when the ledger knows more rows than the original holds', async () => {
    const file = await finished(lines(upTo(2).map((n) => achRow(n))));
    await query(world.app, `INSERT INTO payment_row VALUES ($1, 3, NULL, 'A-3', '', NULL, '')`, [file.file_no]);
    await expect(all(file)).rejects.toThrow(/line 3 is missing/);
  });

  it('reads on where one stretch of the ledger ends and the next begins', async () => {
    const content = lines(upTo(20_500).map((n) => achRow(n, n % 5_000 === 0 ? { amount: 'ten' } : {})));
    const file = await finished(content.replace('A-10001,', '\nA-10001,'), (row) => `Received ${row % 7}`);
    const rows = await all(file);
    expect(rows.map(({ cells }) => cells[0])).toEqual(upTo(20_500).map((n) => `A-${n}`));
    expect(rows.every(({ row }, place) => row.line === place + (place < 10_000 ? 1 : 2))).toBe(true);
    expect(rows.filter(({ row }) => row.outcome === 'invalid')).toHaveLength(4);
  });

  it('throws when the last row of a file is gone, or the first of a stretch', async () => {
    for (const line of [9_999, 10_001]) {
      const file = await finished(lines(upTo(10_001).map((n) => achRow(n))));
      await query(world.app, 'ALTER TABLE payment_row DISABLE TRIGGER rows_written_once');
      await query(world.app, 'DELETE FROM payment_row WHERE file_no = $1 AND line = $2', [file.file_no, line]);
      await query(world.app, 'ALTER TABLE payment_row ENABLE TRIGGER rows_written_once');
      await expect(all(file)).rejects.toThrow(/is missing/);
    }
  });

  it('leaves no file open behind a reader that stops early', async () => {
    const file = await finished(lines(upTo(4_000).map((n) => achRow(n))));
    await readFirst(file);
    const before = await lowestFreeHandle();
    for (let time = 0; time < 10; time += 1) await readFirst(file);
    await expect.poll(lowestFreeHandle).toBeLessThan(before + 5);
  });
});

async function readFirst(file: FileRow): Promise<void> {
  for await (const { rows } of finishedPages(world.app, file)) {
    expect(rows.at(0).line).toBe(1);
    return;
  }
}

/** Returns the lowest free handle. Systems give it out first, so handles left open show. */
async function lowestFreeHandle(): Promise<number> {
  const handle = await open(world.settings.paths.journal, 'r');
  const { fd } = handle;
  await handle.close();
  return fd;
}
