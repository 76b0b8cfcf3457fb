import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { sealFile } from '../../../src/crypto/archive.ts';
import { type Chunk, type Reading, type ReadingOrder, runTask } from '../../../workers/intake/read-content.ts';
import { CARD, cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { rulesWith } from '../../csv/support.ts';
import { columnsOf, type LayoutName, LAYOUTS } from '../../../schemas/layouts.ts';
import { lastFour } from '../../../src/kernel/mask.ts';
import { writeRow } from '../../../src/ledger/copy/row-tuples.ts';
import { TupleWriter } from '../../../src/ledger/copy/tuple-writer.ts';
import { RowFingerprints, FINGERPRINT_BYTES } from '../../../src/crypto/fingerprints/row-fingerprint.ts';
import { RowEncoder, withheldRow } from '../../../workers/intake/encode-rows.ts';
import { writeSessionKey } from '../../../src/pgp/load-openpgp.ts';
import { sealBytes } from '../../../src/crypto/seal.ts';
import { type ContentSource, dataKeyOf, openSource } from '../../../workers/intake/open-source.ts';

const KEY = { fileId: 'abcd1234', bytes: Buffer.alloc(32, 4) };
const ROWS = 30_000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-content-'));
});
afterAll(() => rm(folder, { recursive: true }));

let made = 0;

async function orderOf(content: string): Promise<ReadingOrder> {
  made += 1;
  const [plain, path] = [join(folder, `${made}.csv`), join(folder, `${made}.sealed`)];
  await writeFile(plain, content);
  await sealFile({ from: plain, to: path, key: KEY, purpose: 'original' });
  return {
    source: { path, purpose: 'original', fileId: KEY.fileId, bytes: content.length, key: KEY.bytes, contentKey: null },
    rules: rulesWith({ operation: 'card' }),
    fileNo: 1,
    volume: 1,
    account: 'main',
    operation: 'card',
    at: new Date(0),
    maxRows: 500,
    fingerprintKey: Buffer.alloc(32, 1),
    rowSetKey: Buffer.alloc(32, 2),
  };
}

/** Copies a chunk, because its memory is reused for the next. */
function copyOf({ progress, ...tables }: Chunk): Chunk {
  const copied = Object.entries(tables).map(([table, bytes]) => [table, bytes && Uint8Array.from(bytes)]);
  return { ...Object.fromEntries(copied), ...(progress && { progress }) } as Chunk;
}

function tablesOf({ progress: _progress, ...tables }: Chunk): (Uint8Array | undefined)[] {
  return Object.values(tables);
}

async function readAll(order: ReadingOrder): Promise<{ parcels: Chunk[]; reading: Reading }> {
  const parcels: Chunk[] = [];
  const items = runTask(order);
  for (;;) {
    const step = await items.next();
    if (step.done) return { parcels, reading: step.value };
    parcels.push(copyOf(step.value));
  }
}

const bytesOf = (parcel: Chunk) => tablesOf(parcel).reduce((sum, bytes) => sum + (bytes?.length ?? 0), 0);

describe('runTask', () => {
  it('gives a large file in parcels of one size, none of which shows a number', async () => {
    const { parcels, reading } = await readAll(await orderOf(lines(upTo(ROWS).map((n) => cardRow(n)))));
    expect(reading).toMatchObject({ check: { verdict: 'accept', valid: { rows: ROWS } }, faults: 0 });
    expect(parcels.length).toBeGreaterThan(3);
    expect(Math.max(...parcels.map(bytesOf))).toBeLessThan(1.5 * 1024 * 1024);
    const all = parcels.flatMap((parcel) => tablesOf(parcel).filter((bytes) => bytes !== undefined));
    expect(all.some((bytes) => Buffer.from(bytes).includes(CARD))).toBe(false);
  });

  it('says with each parcel how many rows were checked, and of how many bytes', async () => {
    const text = lines(upTo(ROWS).map((n) => cardRow(n, n % 3 === 0 ? { amount: 'ten' } : {})));
    const { parcels } = await readAll(await orderOf(text));
    const progress = parcels.flatMap((parcel) => parcel.progress ?? []);
    expect(progress.length).toBeGreaterThan(2);
    expect(progress.map(({ rows }) => rows)).toEqual(progress.map(({ rows }) => rows).toSorted((a, b) => a - b));
    for (const { rows, bytes } of progress) {
      const expected = (rows * Buffer.byteLength(text)) / bytes;
      expect(expected).toBeGreaterThan(0.8 * ROWS);
      expect(expected).toBeLessThan(1.2 * ROWS);
    }
  });

  it('gives the mark of the rows, in whatever order they stand, and none of a file without', async () => {
    const rows = upTo(5).map((n) => cardRow(n));
    const marks = [];
    for (const content of [rows, rows.toReversed(), rows.slice(1), [cardRow(1, { amount: 'x' })]]) {
      marks.push((await readAll(await orderOf(lines(content)))).reading.rowSet);
    }
    expect(marks[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(marks[1]).toBe(marks[0]);
    expect(marks[2]).not.toBe(marks[0]);
    expect(marks[3]).toBeNull();
  });

  it('fails when the original does not open, and not later than at its end', async () => {
    const order = await orderOf(lines(upTo(10).map((n) => cardRow(n))));
    const source = { ...order.source, key: Buffer.alloc(32) };
    await expect(readAll({ ...order, source })).rejects.toMatchObject({ code: 'SEAL_BROKEN' });
  });
});

const FINGERPRINT_KEY = Buffer.alloc(32, 5);
const OPTIONS = { fileNo: 3, fingerprintKey: FINGERPRINT_KEY };

/** What is kept of a row: its tuple, and its fingerprints with its line. */
type Kept = { tuple: Uint8Array; fingerprints: { line: number; print: string }[] };

/** A simple version built from texts and objects. */
function keepSlowly(layout: LayoutName, cells: readonly string[], line: number, cents: number, batchNo: number): Kept {
  const valueOf = (...names: string[]) => cells[columnsOf(layout).findIndex((name) => names.includes(name))] ?? '';
  const [invoice, customerCode, number] = [
    valueOf('invoice'),
    valueOf('customerCode'),
    valueOf('cardNumber', 'accountNumber'),
  ];
  const bytes = Buffer.from(invoice + (number || customerCode));
  const end = Buffer.byteLength(invoice);
  const fingerprinter = new RowFingerprints(FINGERPRINT_KEY);
  const numberKind = columnsOf(layout).includes('cardNumber') ? 'cardNumber' : 'accountNumber';
  const payment = [bytes, 0, end, end, bytes.length, cents, number ? numberKind : 'customerCode'] as const;
  fingerprinter.add(...payment);
  fingerprinter.addTurned(...payment);
  const made = fingerprinter.take().toString('hex').match(/.{16}/g)!;
  const to = new TupleWriter();
  writeRow(to, 3, { line, batchNo, invoice, customerCode, amountCents: cents, lastFour: lastFour(number) });
  return { tuple: to.take()!, fingerprints: invoice === '' ? [] : made.map((print) => ({ line, print })) };
}

function keepQuickly(layout: LayoutName, cells: readonly string[], line: number, cents: number, batchNo: number): Kept {
  const bytes = Buffer.from(`x,y\n${cells.join(',')}\nz,`);
  const to = new TupleWriter();
  const { fingerprints, add } = gatherFingerprints();
  const encoder = new RowEncoder(to, { add }, OPTIONS);
  encoder.setLayout(layout);
  const starts = Uint32Array.of(0, 4, bytes.length - 2);
  const packed = {
    count: 2,
    bytes,
    starts,
    lines: Uint32Array.of(line - 1, line),
    cents: Float64Array.of(1, cents),
  };
  encoder.encode(packed, 1, 2, batchNo);
  return { tuple: to.take()!, fingerprints };
}

function gatherFingerprints() {
  const fingerprints: Kept['fingerprints'] = [];
  const add = (bytes: Buffer, at: number, line: number) =>
    void fingerprints.push({ line, print: bytes.toString('hex', at, at + FINGERPRINT_BYTES) });
  return { fingerprints, add };
}

const someText = fc.string({ unit: fc.constantFrom('a', 'B', '7', ' ', 'é', '漢', '\u{1F600}'), maxLength: 80 });
const someDigits = fc.string({ unit: fc.constantFrom('0', '1', '4', '9'), maxLength: 30 });

describe('RowEncoder', () => {
  it.each(Object.keys(LAYOUTS) as LayoutName[])('makes of the bytes of %s what is made of its texts', (layout) => {
    const columns = columnsOf(layout);
    const someCells = fc.tuple(...columns.map((name) => (name.endsWith('Number') ? someDigits : someText)));
    fc.assert(
      fc.property(
        someCells,
        fc.integer({ min: 1 }),
        fc.maxSafeInteger(),
        fc.integer({ min: 1 }),
        (cells, line, cents, batchNo) => {
          expect(keepQuickly(layout, cells, line, cents, batchNo)).toEqual(
            keepSlowly(layout, cells, line, cents, batchNo),
          );
        },
      ),
    );
  });

  it('makes of many rows at once what it makes of each', () => {
    const rows = Array.from({ length: 40 }, (_, index) => cardRow(index + 1));
    const sizes = rows.map((row) => Buffer.byteLength(row) + 1);
    const packed = {
      count: rows.length,
      bytes: Buffer.from(rows.map((row) => `${row}\n`).join('')),
      starts: Uint32Array.from([0, ...sizes.map((_, index) => sizes.slice(0, index + 1).reduce((a, b) => a + b))]),
      lines: Uint32Array.from(rows, (_, index) => index + 1),
      cents: Float64Array.from(rows, (_, index) => 100 + index),
    };
    const [together, oneByOne] = [new TupleWriter(), new TupleWriter()];
    const [some, others] = [gatherFingerprints(), gatherFingerprints()];
    const [encoder, slow] = [new RowEncoder(together, some, OPTIONS), new RowEncoder(oneByOne, others, OPTIONS)];
    encoder.setLayout('card');
    slow.setLayout('card');
    encoder.encode(packed, 0, 30, 1);
    encoder.encode(packed, 30, rows.length, 2);
    rows.forEach((_, row) => slow.encode(packed, row, row + 1, row < 30 ? 1 : 2));
    expect(together.take()).toEqual(oneByOne.take());
    expect(some.fingerprints).toEqual(others.fingerprints);
    expect(some.fingerprints).toHaveLength(rows.length);
  });
});

describe('withheldRow', () => {
  it('keeps line and invoice, and the amount where it could be read', () => {
    const raw = { line: 4, cells: cardRow(4).split(',') };
    expect(withheldRow('card', { raw, faults: [], amountCents: 2_500 })).toEqual({
      line: 4,
      batchNo: null,
      invoice: 'C-4',
      customerCode: '',
      amountCents: 2_500,
      lastFour: '',
    });
  });
});

const CONTENT = 'INV-1,A1,25.00,June\n'.repeat(20_000);
let source: ContentSource;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-source-'));
  await writeFile(join(folder, 'plain'), CONTENT);
  source = {
    path: join(folder, 'sealed'),
    purpose: 'original',
    fileId: KEY.fileId,
    bytes: CONTENT.length,
    key: KEY.bytes,
    contentKey: null,
  };
  await sealFile({ from: join(folder, 'plain'), to: source.path, key: KEY, purpose: 'original' });
});

describe('openSource', () => {
  it('gives the original, also from a copy of what says where it is', async () => {
    expect(await text(openSource(structuredClone(source)))).toBe(CONTENT);
  });

  it.each([
    ['another key', { key: Buffer.alloc(32, 5) }],
    ['another purpose', { purpose: 'body:1' }],
    ['another file', { fileId: 'abcd1235' }],
  ])('gives nothing for %s', async (_what, changes) => {
    await expect(text(openSource({ ...source, ...changes }))).rejects.toMatchObject({ code: 'SEAL_BROKEN' });
  });

  it('opens the key of a message only if it was sealed for this file', () => {
    const sealed = sealBytes(KEY, 'content key', writeSessionKey({ algorithm: null, data: Buffer.alloc(16) }));
    const contentKey = { sealed, purpose: 'another' };
    expect(() => openSource({ ...source, contentKey })).toThrow(expect.objectContaining({ code: 'SEAL_BROKEN' }));
  });
});

it('dataKeyOf hides the key where it is printed', () => {
  const key = dataKeyOf(structuredClone(source));
  expect(key.bytes.equals(KEY.bytes)).toBe(true);
  expect(inspect(key) + JSON.stringify(key)).not.toMatch(/04 04|4,4/);
});
