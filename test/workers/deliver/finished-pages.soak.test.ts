import { appendFile, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readOutputs } from '../../../src/ledger/file/read-file.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { finishedPages, finishedRows } from '../../../workers/deliver/finished-pages.ts';
import { achRow, cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { carryOut } from '../support/resolve-context.ts';
import { stepWorld } from '../support/step-world.ts';
import { cancelFile } from '../../../src/ledger/file/cancel-file.ts';
import { declineFile } from '../../../src/ledger/file/release-held.ts';
import { rebuildOutputs } from '../../../workers/deliver/rebuild-outputs.ts';
import { fileWithOutcomes } from '../support/story.ts';
import { deliverFile } from '../../support/work-alone.ts';

const world = stepWorld({ accounts: 10, settings: { batch: { maxRows: 5_000 } } });

async function finished(content: string, messageOf: (row: number) => string = () => 'Received'): Promise<FileRow> {
  const fileId = await world.takeIn(`drop/${world.freshAccount()}/ach-charge`, content);
  await carryOut(world.app, fileId, messageOf);
  return world.file(fileId);
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
    const fileId = await world.takeIn(`drop/${world.freshAccount()}/ach-charge`, lines([achRow(1)]));
    await world.query(`UPDATE batch SET state = 'cancelled' WHERE file_id = $1`, [fileId]);
    const [row] = await all(await world.file(fileId));
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
    await world.query('ALTER TABLE payment_row DISABLE TRIGGER USER');
    await world.query('DELETE FROM payment_row WHERE file_no = $1 AND line = 1', [file.file_no]);
    await world.query('ALTER TABLE payment_row ENABLE TRIGGER USER');
    await expect(all(file)).rejects.toThrow(/line 2 is missing/);
  });

  it('throws when the ledger knows more rows than the original holds', async () => {
    const file = await finished(lines(upTo(2).map((n) => achRow(n))));
    await world.query(`INSERT INTO payment_row VALUES ($1, 3, NULL, 'A-3', '', NULL, '')`, [file.file_no]);
    await expect(all(file)).rejects.toThrow(/line 3 is missing/);
  });

  it('reads on where one range of the ledger ends and the next begins', async () => {
    const content = lines(upTo(20_500).map((n) => achRow(n, n % 5_000 === 0 ? { amount: 'ten' } : {})));
    const file = await finished(content.replace('A-10001,', '\nA-10001,'), (row) => `Received ${row % 7}`);
    const rows = await all(file);
    expect(rows.map(({ cells }) => cells[0])).toEqual(upTo(20_500).map((n) => `A-${n}`));
    expect(rows.every(({ row }, place) => row.line === place + (place < 10_000 ? 1 : 2))).toBe(true);
    expect(rows.filter(({ row }) => row.outcome === 'invalid')).toHaveLength(4);
  });

  it('throws when the last row of a file is gone, or the first of a range', async () => {
    for (const line of [9_999, 10_001]) {
      const file = await finished(lines(upTo(10_001).map((n) => achRow(n))));
      await world.query('ALTER TABLE payment_row DISABLE TRIGGER USER');
      await world.query('DELETE FROM payment_row WHERE file_no = $1 AND line = $2', [file.file_no, line]);
      await world.query('ALTER TABLE payment_row ENABLE TRIGGER USER');
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

const smallWorld = stepWorld({ accounts: 8 });

const because = { actor: 'operator:ada', reason: 'the sender recalls it' };
const MESSAGES = ['OK: 1:', 'REJECT: 15', 'REJECT: 22'];

async function delivered() {
  const content = lines(upTo(3).map((n) => cardRow(n)));
  const { file_id: fileId } = await fileWithOutcomes(
    smallWorld,
    'card',
    content,
    (row) => MESSAGES[row - 1]!,
    'june.csv',
  );
  await deliverFile(smallWorld.app, { fileId });
  return smallWorld.file(fileId);
}

const pathOf = (name: string) => join(smallWorld.settings.paths.out, name);

describe('rebuildOutputs', () => {
  it('makes every output of a finished file again, byte for byte, and leaves nothing behind', async () => {
    const file = await delivered();
    const checks = await rebuildOutputs(smallWorld.app, file);
    expect(checks.map((check) => check.kind).toSorted()).toEqual(
      ['ack', 'rejects', 'result', 'retry', 'summary-json', 'summary-txt'].toSorted(),
    );
    for (const check of checks) expect(check).toMatchObject({ onDisk: 'same', rebuilt: 'same' });
    expect((await readdir(smallWorld.settings.paths.data)).filter((name) => name.startsWith('rebuild-'))).toEqual([]);
  });

  it('also after outcomes have changed and were corrected', async () => {
    const file = await delivered();
    await smallWorld.query(
      `INSERT INTO row_change (file_no, line, correction_no, outcome, message, "authorization", at, source)
       VALUES ($1, 2, 1, 'approved', 'OK: 9:', '9', now(), 'asked again')`,
      [file.file_no],
    );
    await deliverFile(smallWorld.app, { fileId: file.file_id });
    const checks = await rebuildOutputs(smallWorld.app, file);
    expect(checks.map((check) => check.kind)).toContain('correction');
    for (const check of checks) expect(check).toMatchObject({ onDisk: 'same', rebuilt: 'same' });
  });

  it('says which are missing and which differ in the out folder, and touches none', async () => {
    const file = await delivered();
    const outputs = await readOutputs(smallWorld.app.ledger, file.file_id);
    const [result, rejects] = ['result', 'rejects'].map((kind) => outputs.find((output) => output.kind === kind)!.name);
    await rename(pathOf(result!), pathOf(`${result}.moved`));
    await appendFile(pathOf(rejects!), 'one more line');
    const checks = await rebuildOutputs(smallWorld.app, file);
    const found = Object.fromEntries(checks.map((check) => [check.kind, check.onDisk]));
    expect(found).toMatchObject({ result: 'missing', rejects: 'differs', ack: 'same' });
    expect(checks.map((check) => check.rebuilt)).toEqual(checks.map(() => 'same'));
    expect(await readFile(pathOf(rejects!), 'utf8')).toContain('one more line');
  });

  it('leaves them in a folder when it is given one, and notes nothing new', async () => {
    const file = await delivered();
    const into = join(smallWorld.root, 'again');
    await mkdir(into);
    const before = await readOutputs(smallWorld.app.ledger, file.file_id);
    await rebuildOutputs(smallWorld.app, file, into);
    expect((await readdir(into)).toSorted()).toEqual(before.map((output) => output.name).toSorted());
    for (const { name } of before)
      expect(await readFile(join(into, name), 'utf8')).toBe(await readFile(pathOf(name), 'utf8'));
    expect(await readOutputs(smallWorld.app.ledger, file.file_id)).toEqual(before);
    await rm(into, { recursive: true });
  });

  it('makes the notices of held, declined and cancelled files, and the results of a stopped one', async () => {
    const account = smallWorld.freshAccount();
    const rows = (from: number, count: number) => lines(upTo(count).map((n) => achRow(from + n)));
    const held = await smallWorld.takeIn(
      `drop/${account}/ach-charge`,
      rows(100, 1) + achRow(200, { amount: 'x' }),
      'h.csv',
    );
    await deliverFile(smallWorld.app, { fileId: held });
    await declineFile(smallWorld.app.ledger, held, because);
    const cancelled = await smallWorld.takeIn(`drop/${account}/ach-charge`, rows(300, 2), 'c.csv');
    await deliverFile(smallWorld.app, { fileId: cancelled });
    await cancelFile(smallWorld.app.ledger, cancelled, because);
    const stopped = await smallWorld.takeIn(`drop/${account}/ach-charge`, rows(400, 4), 's.csv');
    await smallWorld.query(`UPDATE file SET state = 'in_progress' WHERE file_id = $1`, [stopped]);
    await cancelFile(smallWorld.app.ledger, stopped, because);
    const kinds: Record<string, string[]> = {};
    for (const [name, fileId] of Object.entries({ held, cancelled, stopped })) {
      await deliverFile(smallWorld.app, { fileId });
      const checks = await rebuildOutputs(smallWorld.app, await smallWorld.file(fileId));
      for (const check of checks) expect(check).toMatchObject({ onDisk: 'same', rebuilt: 'same' });
      kinds[name] = checks.map((check) => check.kind).toSorted();
    }
    expect(kinds).toEqual({
      held: ['cancelled', 'held'],
      cancelled: ['ack', 'cancelled'],
      stopped: ['ack', 'rejects', 'result', 'summary-json', 'summary-txt'],
    });
    const notice = (await readOutputs(smallWorld.app.ledger, cancelled)).find((output) => output.kind === 'cancelled')!;
    const text = await readFile(pathOf(notice.name), 'utf8');
    expect(text).toContain('Status,CANCELLED\r\n');
    expect(text).toContain('Reason,the sender recalls it\r\n');
    expect(text).toContain('Accepted Rows,0\r\n');
    const rejects = (await readOutputs(smallWorld.app.ledger, stopped)).find((output) => output.kind === 'rejects')!;
    expect(await readFile(pathOf(rejects.name), 'utf8')).toContain('never sent');
  });
});
