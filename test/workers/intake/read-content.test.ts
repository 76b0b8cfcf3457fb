import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sealFile } from '../../../src/crypto/archive.ts';
import { type Parcel, type Reading, type ReadingOrder, runTask } from '../../../workers/intake/read-content.ts';
import { CARD, cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { rulesWith } from '../../csv/support.ts';

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
    printKey: Buffer.alloc(32, 1),
    rowSetKey: Buffer.alloc(32, 2),
  };
}

/** Copies a chunk, because its memory is reused for the next. */
function copyOf(parcel: Parcel): Parcel {
  return Object.fromEntries(
    Object.entries(parcel).map(([table, bytes]) => [table, bytes && Uint8Array.from(bytes)]),
  ) as Parcel;
}

async function readAll(order: ReadingOrder): Promise<{ parcels: Parcel[]; reading: Reading }> {
  const parcels: Parcel[] = [];
  const items = runTask(order);
  for (;;) {
    const step = await items.next();
    if (step.done) return { parcels, reading: step.value };
    parcels.push(copyOf(step.value));
  }
}

const bytesOf = (parcel: Parcel) => Object.values(parcel).reduce((sum, bytes) => sum + (bytes?.length ?? 0), 0);

describe('runTask', () => {
  it('gives a large file in parcels of one size, none of which shows a number', async () => {
    const { parcels, reading } = await readAll(await orderOf(lines(upTo(ROWS).map((n) => cardRow(n)))));
    expect(reading).toMatchObject({ check: { verdict: 'accept', valid: { rows: ROWS } }, faults: 0 });
    expect(parcels.length).toBeGreaterThan(3);
    expect(Math.max(...parcels.map(bytesOf))).toBeLessThan(1.5 * 1024 * 1024);
    const all = parcels.flatMap((parcel) => Object.values(parcel).filter((bytes) => bytes !== undefined));
    expect(all.some((bytes) => Buffer.from(bytes).includes(CARD))).toBe(false);
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
