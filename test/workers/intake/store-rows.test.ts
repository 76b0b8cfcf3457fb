import { describe, expect, it } from 'vitest';
import { newFileId } from '../../../src/kernel/ids.ts';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { readBatches, readFaults, readRows } from '../../../src/ledger/file/read-file.ts';
import { beginReading } from '../../../src/ledger/file/count-readings.ts';
import { readSealedPart } from '../../../src/ledger/batch/read-sealed-part.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { openBytes } from '../../../src/crypto/seal.ts';
import { rowFingerprinter } from '../../../workers/intake/fingerprint-row.ts';
import { bodyPurpose } from '../../../workers/intake/cut-bodies.ts';
import type { Reading } from '../../../workers/intake/read-content.ts';
import { openFileKey } from '../../../workers/open-original.ts';
import { openRowStore, orderReading, progressNoter } from '../../../workers/intake/store-rows.ts';
import { achRow, CARD, cardRow, codeRow, DATE, lines, upTo } from '../../support/payment-rows.ts';
import { stepWorld } from '../support/step-world.ts';
import { claimContent } from '../support/story.ts';
import { takeClaim } from '../../support/work-alone.ts';

const FOLDER = 'drop/account-1/card';
const VOLUME = 77;

const world = stepWorld({
  accounts: 2,
  folder: { badRows: { policy: 'withhold', maxPercent: 100 } },
  settings: { batch: { maxRows: 3 } },
});

/** The amount of content decides who reads it. */
const READERS = [
  ['by the process itself', 0],
  ['by its thread', 1_000_000_000],
] as const;

let made = 0;

async function store(
  content: string,
  contentBytes = 0,
  then: (reading: Reading) => Promise<void> = async () => {},
): Promise<FileRow> {
  made += 1;
  const claim = await claimContent(world.app, FOLDER, `${made}.csv`, content);
  await takeClaim(world.app, claim);
  const file = await world.file(claim.fileId);
  const folder = world.app.folder(FOLDER)!;
  await transact(world.app.ledger, async (tx) => {
    const order = orderReading(world.app, tx, file, { folder, volume: VOLUME });
    const rows = openRowStore(world.app, tx);
    const reading = await rows.read(order, contentBytes);
    await rows.end();
    await then(reading);
  });
  return file;
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

async function rowsOf(file: FileRow) {
  const rows = [];
  for await (const page of readRows(world.app.ledger, file.file_no)) rows.push(...page);
  return rows.map(({ line, batch_no, invoice, last_four }) => ({ line, batch_no, invoice, last_four }));
}

async function faultsOf(file: FileRow) {
  const faults = [];
  for await (const page of readFaults(world.app.ledger, file.file_no)) faults.push(...page);
  return faults;
}

const fingerprintsOf = (file: FileRow) =>
  world.query<{ volume: number; line: number; fingerprint: string }>(
    'SELECT volume, line, fingerprint::text FROM row_fingerprint WHERE file_no = $1 ORDER BY line',
    [file.file_no],
  );

describe.each(READERS)('a row store, read %s', (_who, contentBytes) => {
  it.each([
    [1, [1]],
    [3, [3]],
    [4, [3, 1]],
    [7, [3, 3, 1]],
  ])('cuts %i rows into batches of %j, each with its lines and its money', async (count, sizes) => {
    const file = await store(lines(upTo(count).map((n) => cardRow(n))), contentBytes);
    const batches = await readBatches(world.app.ledger, file.file_id);
    expect(batches.map((batch) => batch.rows)).toEqual(sizes);
    expect(batches.map((batch) => batch.cents)).toEqual(sizes.map((size) => size * 2_500));
    expect(batches.map((batch) => batch.first_line)).toEqual(sizes.map((_size, index) => 1 + 3 * index));
    expect(batches.map((batch) => batch.last_line)).toEqual(sizes.map((size, index) => 3 * index + size));
  });

  it('cuts no batch of a file without a valid row', async () => {
    const file = await store(lines([cardRow(1, { amount: 'ten' })]), contentBytes);
    expect(await readBatches(world.app.ledger, file.file_id)).toEqual([]);
    expect(await rowsOf(file)).toHaveLength(1);
  });

  it('seals exactly the bytes that are sent, whose hash it keeps', async () => {
    const rows = upTo(5).map((n) => cardRow(n));
    const file = await store(lines(rows, '\r\n'), contentBytes);
    const sent = rows.map((row) => row.replace('12/35', '1235'));
    const bodies = [sent.slice(0, 3).join('\n'), sent.slice(3).join('\n')];
    expect(await bodiesOf(file)).toEqual(bodies);
    const batches = await readBatches(world.app.ledger, file.file_id);
    expect(batches.map((batch) => batch.body_sha256)).toEqual(bodies.map(sha256Of));
    const [part] = await world.query<{ bytes: Buffer }>('SELECT bytes FROM sealed_part WHERE file_id = $1', [
      file.file_id,
    ]);
    expect(part!.bytes.includes(CARD)).toBe(false);
  });

  it('gives the same payment the same fingerprint, in its volume', async () => {
    const file = await store(lines([cardRow(1), cardRow(2)]), contentBytes);
    const again = await store(lines([cardRow(2), cardRow(3)]), contentBytes);
    const [first, second] = await fingerprintsOf(file);
    const [same, third] = await fingerprintsOf(again);
    expect(same).toEqual({ ...second, line: 1 });
    expect(third!.fingerprint).not.toBe(first!.fingerprint);
    const row = { line: 9, invoice: 'C-1', customerCode: '', amountCents: 2_500, number: CARD, canonical: [] };
    const fingerprint = rowFingerprinter(world.app, file)(row).readBigInt64BE();
    expect(first).toEqual({ volume: VOLUME, line: 1, fingerprint: String(fingerprint) });
  });

  it('finds rows that are like others of the file, and counts their faults', async () => {
    const invoices = ['DUP-00001', 'other', 'dup 1', 'DUP-00001', '2026-11-20', '11/20/2026'];
    const found: Reading[] = [];
    const rows = invoices.map((invoice) => codeRow(1, { invoice }));
    const file = await store(lines(rows), contentBytes, async (stored) => void found.push(stored));
    expect(found[0]!.like).toEqual([{ code: 'LIKE_ROW', rows: 2, detail: 'line 1 of this file' }]);
    expect((await faultsOf(file)).map(({ line, code }) => `${code} ${line}`).toSorted()).toEqual([
      'DUPLICATE_ROW 4',
      'LIKE_ROW 3',
      'LIKE_ROW 6',
    ]);
  });

  it('fingerprints no row that is withheld or has no invoice', async () => {
    const rows = [cardRow(1), cardRow(2, { amount: 'ten' }), cardRow(3, { invoice: '' })];
    const file = await store(lines(rows), contentBytes);
    expect((await fingerprintsOf(file)).map(({ line }) => line)).toEqual([1]);
  });

  it('keeps a withheld row by its line and invoice, in no batch, without its number', async () => {
    const file = await store(lines([cardRow(1), cardRow(2, { amount: 'ten' }), cardRow(3)]), contentBytes);
    expect(await rowsOf(file)).toEqual([
      { line: 1, batch_no: 1, invoice: 'C-1', last_four: '2220' },
      { line: 2, batch_no: null, invoice: 'C-2', last_four: '' },
      { line: 3, batch_no: 1, invoice: 'C-3', last_four: '2220' },
    ]);
    expect(await faultsOf(file)).toEqual([{ line: 2, code: 'AMOUNT_FORMAT', column: 'amount', value: 'ten' }]);
  });

  it('finds the same as any other reader', async () => {
    const found: Reading[] = [];
    const content = lines([...upTo(5).map((n) => cardRow(n)), cardRow(6, { amount: 'ten' })]);
    const keep = async (reading: Reading) => void found.push(reading);
    await store(content, contentBytes, keep);
    await store(content, 0, keep);
    expect(found[0]).toEqual(found[1]);
    expect(found[0]).toMatchObject({ check: { verdict: 'accept', records: 6 }, rowSet: expect.any(String) });
  });

  it('keeps nothing of a file that cannot be written, and reads the next', async () => {
    const content = lines(upTo(4).map((n) => cardRow(n)));
    const file = await store(content, contentBytes);
    const folder = world.app.folder(FOLDER)!;
    const twice = transact(world.app.ledger, async (tx) => {
      const rows = openRowStore(world.app, tx);
      await rows.read(orderReading(world.app, tx, file, { folder, volume: VOLUME }), contentBytes);
      await rows.end();
    });
    await expect(twice).rejects.toMatchObject({ code: '23505' });
    expect(await rowsOf(await store(content, contentBytes))).toHaveLength(4);
  });
});

it.each([
  [
    'a number where the invoice should be',
    [DATE, CARD, ...cardRow(2, { amount: 'x' }).split(',').slice(2)],
    /^\*+2220$/,
  ],
  ['columns that are no layout', ['a', 'b'], /^$/],
  ['an endless invoice', cardRow(2, { invoice: 'x'.repeat(5_000), amount: 'x' }).split(','), /^x{100}$/],
])('for a withheld row with %s a row store keeps what is safe', async (_what, cells, kept) => {
  const file = await store(lines([cardRow(1), cells.join(',')]));
  const [, row] = await rowsOf(file);
  expect(row?.invoice).toMatch(kept);
});

it('orderReading says all that a reader needs, can be copied into a thread, and has no password in it', async () => {
  const folder = world.app.folder(`drop/${world.freshAccount()}/ach-charge`)!;
  const file = await world.file(await world.takeIn(folder.id, lines([achRow(1)])));
  await transact(world.app.ledger, async (tx) => {
    const order = orderReading(world.app, tx, file, { folder, volume: 8 });
    expect(order).toMatchObject({
      source: { fileId: file.file_id, purpose: 'original', contentKey: null },
      rules: { operation: 'ach-charge', account: { server: 'NA', country: 'US', currency: 'USD' } },
      fileNo: file.file_no,
      volume: 8,
      at: tx.at,
      maxRows: 3,
    });
    expect([order.source.key, order.fingerprintKey, order.rowSetKey].map((key) => key.length)).toEqual([32, 32, 32]);
    const { password } = world.app.account(file.account);
    expect(JSON.stringify(structuredClone(order))).not.toContain(`"${password}"`);
    expect(() => orderReading(world.app, tx, { ...file, site: 'elsewhere' }, { folder, volume: 8 })).toThrow(
      expect.objectContaining({ code: 'OTHER_SITE' }),
    );
  });
});

describe('progressNoter', () => {
  const progressOf = async (fileId: string) =>
    (await world.app.ledger.pool.query('SELECT checked_rows, expected_rows FROM reading WHERE file_id = $1', [fileId]))
      .rows[0];

  it('records the rows checked, and how many the file will have by its bytes', async () => {
    const fileId = newFileId();
    await beginReading(world.app.ledger, fileId);
    progressNoter(world.app, fileId, 1_000, 0)({ rows: 30, bytes: 300 });
    await expect.poll(() => progressOf(fileId)).toEqual({ checked_rows: 30, expected_rows: 100 });
  });

  it('records nothing of a short reading, and does not fail with the ledger', async () => {
    const fileId = newFileId();
    await beginReading(world.app.ledger, fileId);
    progressNoter(world.app, fileId, 1_000)({ rows: 30, bytes: 300 });
    const ledger = { ...world.app.ledger, pool: { query: () => Promise.reject(new Error('closed')) } } as never;
    expect(() => progressNoter({ ledger }, fileId, 1_000, 0)({ rows: 30, bytes: 300 })).not.toThrow();
    expect(await progressOf(fileId)).toEqual({ checked_rows: null, expected_rows: null });
  });
});
