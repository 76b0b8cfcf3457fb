import { describe, expect, it } from 'vitest';
import type { Fault } from '../../../src/rows/rows.ts';
import { likeRows } from '../../../workers/intake/fingerprint-row.ts';

/** Returns a fingerprint of these two halves. */
function print(invoice: number, payer: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32BE(invoice, 0);
  bytes.writeUInt32BE(payer, 4);
  return bytes;
}

function find(prints: readonly [line: number, print: Buffer][], faults: readonly Fault[] = []) {
  const { findFault, flagged } = likeRows();
  const found = prints.flatMap(([line, bytes]) => findFault(bytes, 0, line, faults) ?? []);
  return { found, flagged: flagged() };
}

describe('likeRows', () => {
  it('names for each row the first that is like it', () => {
    const { found, flagged } = find([
      [2, print(1, 1)],
      [3, print(1, 2)],
      [4, print(1, 1)],
      [5, print(2, 1)],
      [6, print(1, 1)],
    ]);
    expect(found).toEqual([
      { code: 'LIKE_ROW', line: 4, detail: 'line 2 of this file' },
      { code: 'LIKE_ROW', line: 6, detail: 'line 2 of this file' },
    ]);
    expect(flagged).toEqual([{ code: 'LIKE_ROW', rows: 2, detail: 'line 2 of this file' }]);
  });

  it('names a row once that has two prints, and not as like itself', () => {
    const both = [print(1, 1), print(2, 2)] as const;
    const { found } = find([
      [2, both[0]],
      [2, both[0]],
      [2, both[1]],
      [3, both[0]],
      [3, both[1]],
    ]);
    expect(found.map(({ line }) => line)).toEqual([3]);
  });

  it('leaves out what the check has found to be the same', () => {
    const rows: [number, Buffer][] = [
      [2, print(1, 1)],
      [3, print(1, 1)],
    ];
    expect(find(rows, [{ code: 'DUPLICATE_ROW', line: 3 }])).toEqual({ found: [], flagged: [] });
    expect(find(rows, [{ code: 'TEXT_REPLACED', line: 3 }]).found).toHaveLength(1);
  });
});
