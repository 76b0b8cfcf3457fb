import { describe, expect, it } from 'vitest';
import { countRows, frameHead, summaryOf } from '../../../src/ledger/backup/write-backup.ts';

describe('frameHead', () => {
  it('is the letter and the length, big-endian', () => {
    expect([...frameHead('D', 0x01020304)]).toEqual([68, 1, 2, 3, 4]);
  });
});

describe('countRows', () => {
  it.each([
    ['', 0],
    ['a\tb', 0],
    ['a\tb\n', 1],
    ['a\n\nb', 2],
  ])('%j has %i line feeds', (text, rows) => {
    expect(countRows(Buffer.from(text))).toBe(rows);
  });
});

describe('summaryOf', () => {
  it('adds the tables up and names the last migration', () => {
    const head = { format: 1 as const, madeAt: 'then', migrations: ['0001', '0002'], tables: ['a', 'b'] };
    const tables = [1, 2].map((rows) => ({ table: `t${rows}`, rows, bytes: 10, sha256: 'x' }));
    expect(summaryOf(head, tables, { bytes: 40, sha256: 'y' })).toMatchObject({
      migration: '0002',
      rows: 3,
      bytes: 40,
    });
  });
});
