import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Config } from '../../../schemas/config.ts';
import { checkPaymentFile } from '../../../src/csv/check/check-payment-file.ts';
import { resolveSettings } from '../../../src/config/config.ts';
import { type CardFileShape, cardRows, ORDINARY, writeCardFile } from '../../../bench/files/card-file.ts';
import { readPayments } from '../../../bench/peers/afternoon/read-payments.ts';
import { plainConfig } from '../../../bench/world/plain-config.ts';

let dir: string;
beforeAll(async () => (dir = await mkdtemp(join(tmpdir(), 'paydrop-card-file-'))));
afterAll(() => rm(dir, { recursive: true }));

const linesOf = (shape: CardFileShape) => [...cardRows(shape)].map(({ line }) => line);

describe('cardRows', () => {
  it('gives the same rows for the same seed, and no invoice twice for others', () => {
    const one = linesOf({ ...ORDINARY, rows: 50, seed: 1 });
    expect(linesOf({ ...ORDINARY, rows: 50, seed: 1 })).toEqual(one);
    const invoices = [...one, ...linesOf({ ...ORDINARY, rows: 50, seed: 2 })].map((line) => line.split(',')[1]);
    expect(new Set(invoices).size).toBe(100);
  });

  it('keeps to the shares that were asked for', () => {
    const rows = [...cardRows({ ...ORDINARY, rows: 20_000 })];
    const quoted = rows.filter(({ line }) => line.includes('"')).length;
    const invalid = rows.filter(({ isInvalid }) => isInvalid).length;
    expect(quoted).toBeGreaterThan(1_800);
    expect(quoted).toBeLessThan(2_200);
    expect(invalid).toBeGreaterThan(150);
    expect(invalid).toBeLessThan(250);
  });

  it('puts quotes around all fields on demand', () => {
    const [line = ''] = linesOf({ ...ORDINARY, rows: 1, quotesAll: true });
    expect(line.match(/"[^"]*"/g)).toHaveLength(12);
  });
});

const SHAPES: readonly (readonly [string, Partial<CardFileShape>])[] = [
  ['ordinary', {}],
  ['nothing quoted', { quoted: 0 }],
  ['half of the rows invalid', { invalid: 0.5 }],
  ['every field quoted', { quotesAll: true }],
];

describe('writeCardFile', () => {
  it.each(SHAPES)(
    '%s: paydrop and the afternoon script find the rows invalid that are meant to be',
    async (_, shape) => {
      const made = await writeCardFile(join(dir, 'made.csv'), { ...ORDINARY, rows: 3_000, ...shape });
      const text = await readFile(made.path, 'utf8');
      expect(text.split('\n')).toHaveLength(made.rows + 1);
      const check = await checkWhole(made.path);
      expect([check.records, check.invalid.rows]).toEqual([3_000, made.invalid]);
      const script = readPayments(text);
      expect([script.payments.length, script.invalid.length]).toEqual([3_000 - made.invalid, made.invalid]);
    },
  );
});

async function checkWhole(path: string) {
  const { accounts, folders } = resolveSettings(
    Config.parse(plainConfig({ serviceUrl: 'http://127.0.0.1:1' })),
    '/',
    {},
  );
  const [account] = accounts.values();
  const rules = { operation: 'card', account: account!, folder: folders[0]!, today: '2026-06-15' } as const;
  const check = checkPaymentFile(createReadStream(path), rules);
  for (;;) {
    const step = await check.next();
    if (step.done) return step.value;
  }
}
