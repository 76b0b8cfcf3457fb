import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalBytes } from '../../src/csv/canonical-bytes.ts';
import type { CheckedRow } from '../../src/csv/check-payment-file.ts';
import { sha256Of } from '../../src/kernel/hash.ts';
import type { PaymentRow } from '../../src/kernel/rows.ts';
import { readBatches, readFaults, readFileRow, readRows, readSealedPart } from '../../src/ledger/queries/read-file.ts';
import type { FileRow } from '../../src/ledger/records.ts';
import { transact } from '../../src/ledger/transaction.ts';
import { openBytes } from '../../src/vault/seal.ts';
import { openFileKey } from '../../workers/open-original.ts';
import { bodyPurpose, createRowStore } from '../../workers/store-rows.ts';
import { takeClaim } from '../../workers/take-claim.ts';
import { CARD, cardRow, lines, upTo } from '../support/payment-rows.ts';
import { openStepWorld, type StepWorld } from './support/step-world.ts';
import { query } from './support/story.ts';
import { claimContent } from './support/take-in.ts';

let world: StepWorld;
beforeAll(async () => {
  world = await openStepWorld({ accounts: 1, settings: { batch: { maxRows: 3 } } });
});
afterAll(() => world.close());

let made = 0;

async function freshFile(): Promise<FileRow> {
  made += 1;
  const claim = await claimContent(world.app, 'drop/account-1/card', `${made}.csv`, lines([cardRow(made)]));
  await takeClaim(world.app, claim);
  return readFileRow(world.app.ledger, claim.fileId);
}

function valid(line: number, invoice = `C-${line}`): CheckedRow {
  const cells = cardRow(line, { invoice }).split(',');
  const payment: PaymentRow = {
    line,
    invoice,
    customerCode: '',
    amountCents: 2_500,
    number: CARD,
    canonical: cells,
  };
  return { raw: { line, cells }, payment, amountCents: 2_500, faults: [] };
}

function withheld(line: number, cells: string[]): CheckedRow {
  return {
    raw: { line, cells },
    amountCents: null,
    faults: [{ code: 'AMOUNT_FORMAT', line, column: 'amount', value: 'ten' }],
  };
}

async function store(file: FileRow, ...groups: CheckedRow[][]): Promise<void> {
  await transact(world.app.ledger, async (tx) => {
    const rows = createRowStore(world.app, tx, file);
    for (const group of groups) await rows.add(group);
    await rows.finish();
  });
}

async function bodiesOf(file: FileRow): Promise<string[]> {
  const key = openFileKey(world.app, file);
  const batches = await readBatches(world.app.ledger, file.file_id);
  return Promise.all(
    batches.map(async ({ batch_no: batchNo }) => {
      const sealed = await readSealedPart(world.app.ledger, { fileId: file.file_id, batchNo }, 'body');
      return openBytes(key, bodyPurpose(batchNo), sealed).toString();
    }),
  );
}

describe('createRowStore', () => {
  it.each([
    [1, [1]],
    [3, [3]],
    [4, [3, 1]],
    [7, [3, 3, 1]],
  ])('cuts %i rows into batches of %j, in whatever groups they come', async (count, sizes) => {
    const rows = upTo(count).map((line) => valid(line));
    const files = [await freshFile(), await freshFile()];
    await store(files[0]!, rows);
    await store(files[1]!, ...rows.map((row) => [row]));
    for (const file of files) {
      const batches = await readBatches(world.app.ledger, file.file_id);
      expect(batches.map((batch) => batch.rows)).toEqual(sizes);
      expect(batches.map((batch) => batch.cents)).toEqual(sizes.map((size) => size * 2_500));
    }
    expect(await bodiesOf(files[0]!)).toEqual(await bodiesOf(files[1]!));
  });

  it('seals exactly the canonical bytes, whose hash it keeps', async () => {
    const file = await freshFile();
    const rows = upTo(2).map((line) => valid(line));
    await store(file, rows);
    const body = canonicalBytes(rows.map((row) => row.payment!));
    expect(await bodiesOf(file)).toEqual([body.toString()]);
    expect((await readBatches(world.app.ledger, file.file_id))[0]?.body_sha256).toBe(sha256Of(body));
    const [part] = await query<{ bytes: Buffer }>(world.app, 'SELECT bytes FROM sealed_part WHERE file_id = $1', [
      file.file_id,
    ]);
    expect(part!.bytes.includes(CARD)).toBe(false);
  });

  it('gives the same payment the same fingerprint, and another invoice another one', async () => {
    const prints: string[] = [];
    for (const invoice of ['same', 'same', 'other']) {
      const file = await freshFile();
      await store(file, [valid(1, invoice)]);
      const [row] = await query<{ fingerprint: Buffer }>(
        world.app,
        'SELECT fingerprint FROM payment_row WHERE file_no = $1',
        [file.file_no],
      );
      prints.push(row!.fingerprint.toString('hex'));
    }
    expect(prints[0]).toBe(prints[1]);
    expect(prints[0]).not.toBe(prints[2]);
  });

  it('keeps a withheld row by its line and invoice, in no batch, without its number', async () => {
    const file = await freshFile();
    const cells = cardRow(2, { amount: 'ten' }).split(',');
    await store(file, [valid(1), withheld(2, cells), valid(3)]);
    const rows = [];
    for await (const page of readRows(world.app.ledger, file.file_no)) rows.push(...page);
    expect(rows.map(({ line, batch_no, invoice, last_four }) => ({ line, batch_no, invoice, last_four }))).toEqual([
      { line: 1, batch_no: 1, invoice: 'C-1', last_four: '2220' },
      { line: 2, batch_no: null, invoice: 'C-2', last_four: '' },
      { line: 3, batch_no: 1, invoice: 'C-3', last_four: '2220' },
    ]);
    const faults = [];
    for await (const page of readFaults(world.app.ledger, file.file_no)) faults.push(...page);
    expect(faults).toEqual([{ line: 2, code: 'AMOUNT_FORMAT', column: 'amount', value: 'ten' }]);
  });

  it.each([
    ['a number where the invoice should be', ['06/15/2026', CARD, ...cardRow(2).split(',').slice(2)], /^\*+2220$/],
    ['columns that are no layout', ['a', 'b'], /^$/],
    ['an endless invoice', cardRow(2, { invoice: 'x'.repeat(5_000) }).split(','), /^x{100}$/],
  ])('for a withheld row with %s it keeps what is safe', async (_what, cells, kept) => {
    const file = await freshFile();
    await store(file, [valid(1), withheld(2, cells)]);
    const [row] = await query<{ invoice: string }>(
      world.app,
      'SELECT invoice FROM payment_row WHERE file_no = $1 AND line = 2',
      [file.file_no],
    );
    expect(row?.invoice).toMatch(kept);
  });

  it('numbers the faults of rows and of the file in one series', async () => {
    const file = await freshFile();
    await transact(world.app.ledger, async (tx) => {
      const rows = createRowStore(world.app, tx, file);
      await rows.add([withheld(1, ['a']), withheld(2, ['b'])]);
      await rows.add([withheld(3, ['c'])]);
      await rows.addFaults([{ code: 'LAST_LINE_OPEN', line: 3 }]);
      await rows.finish();
    });
    const faults = await query<{ seq: number; line: number }>(
      world.app,
      'SELECT seq, line FROM row_fault WHERE file_no = $1 ORDER BY seq',
      [file.file_no],
    );
    expect(faults).toEqual([
      { seq: 1, line: 1 },
      { seq: 2, line: 2 },
      { seq: 3, line: 3 },
      { seq: 4, line: 3 },
    ]);
    expect(await readBatches(world.app.ledger, file.file_id)).toEqual([]);
  });

  it('refuses bytes that, read again, are not the rows: nothing of the file is kept', async () => {
    const file = await freshFile();
    const row = valid(1);
    const wrong = { ...row, payment: { ...row.payment!, amountCents: 2_501 } };
    await expect(store(file, [wrong])).rejects.toThrow('Nothing was sent');
    expect(await query(world.app, 'SELECT 1 FROM payment_row WHERE file_no = $1', [file.file_no])).toEqual([]);
  });
});
