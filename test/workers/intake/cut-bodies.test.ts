import { describe, expect, it } from 'vitest';
import type { PackedRows } from '../../../src/csv/packed-rows.ts';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { bodyCutter, bodyPurpose } from '../../../workers/intake/cut-bodies.ts';
import { achRow, upTo } from '../../support/payment-rows.ts';

/** Adds rows of these lines, out of the middle of a group. */
function add(cutter: ReturnType<typeof bodyCutter>, ...numbers: number[]): void {
  cutter.add(groupOf([0, ...numbers, 0]), 1, numbers.length + 1);
}

function groupOf(numbers: readonly number[], cents = 2_500): PackedRows {
  const rows = numbers.map((n) => `${achRow(n)}\n`);
  const starts = [0];
  for (const row of rows) starts.push(starts.at(-1)! + row.length);
  return {
    count: rows.length,
    bytes: Buffer.from(rows.join('')),
    starts: Uint32Array.from(starts),
    lines: Uint32Array.from(numbers),
    cents: Float64Array.from(numbers, () => cents),
  };
}

const bodyOf = (...numbers: number[]) => numbers.map((n) => achRow(n)).join('\n');

describe('bodyCutter', () => {
  it('gives the rows since the last cut, with their figures, and begins anew', () => {
    const cutter = bodyCutter(3);
    add(cutter, 4, 5, 8);
    expect(cutter.room()).toBe(0);
    const { bytes, ...figures } = cutter.cut('ach')!;
    expect(bytes.toString()).toBe(bodyOf(4, 5, 8));
    expect(figures).toEqual({ sha256: sha256Of(bodyOf(4, 5, 8)), rows: 3, cents: 7_500, firstLine: 4, lastLine: 8 });
    expect(cutter.room()).toBe(3);
    add(cutter, 9);
    expect(cutter.cut('ach')).toMatchObject({ rows: 1, cents: 2_500, firstLine: 9, lastLine: 9 });
    expect(cutter.cut('ach')).toBeUndefined();
  });

  it('takes batches of any size', () => {
    const cutter = bodyCutter(5_000);
    add(cutter, ...upTo(5_000));
    expect(cutter.cut('ach')!.bytes.toString()).toBe(bodyOf(...upTo(5_000)));
  });

  it('refuses rows that are not those of the check', () => {
    const cutter = bodyCutter(3);
    cutter.add(groupOf([1], 2_501), 0, 1);
    expect(() => cutter.cut('ach')).toThrow(expect.objectContaining({ code: 'BODY_MISMATCH' }));
  });
});

it('bodyPurpose tells batches apart', () => {
  expect(bodyPurpose(1)).toBe('body:1');
  expect(bodyPurpose(12)).toBe('body:12');
});
