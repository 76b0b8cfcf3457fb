import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tupleWriter } from '../../../src/ledger/copy/tuple-writer.ts';
import { NULL_CELL, tupleReader } from '../../../src/ledger/copy/copy-out.ts';

type Row = readonly (string | null)[];

function written(rows: readonly Row[]): Buffer {
  const to = tupleWriter();
  for (const row of rows) {
    to.begin(row.length);
    for (const cell of row) {
      if (cell === null) to.null();
      else to.text(cell);
    }
  }
  return Buffer.from(to.take() ?? EMPTY);
}

/** A COPY without rows: header and end mark. */
const EMPTY = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0\xff\xff', 'latin1');

/** Reads rows from pieces of `pieceBytes` bytes. */
function readIn(bytes: Buffer, columns: number, pieceBytes: number): Row[] {
  const rows: Row[] = [];
  const add = tupleReader(columns, (found, cells) => {
    const cellAt = (cell: number) =>
      cells[2 * cell + 1] === NULL_CELL ? null : found.toString('utf8', cells[2 * cell], cells[2 * cell + 1]);
    rows.push(Array.from({ length: columns }, (_, cell) => cellAt(cell)));
  });
  for (let at = 0; at < bytes.length; at += pieceBytes) add(bytes.subarray(at, at + pieceBytes));
  return rows;
}

describe('tupleReader', () => {
  it('reads what tupleWriter writes, however it is cut', () => {
    const row = fc.tuple(fc.option(fc.string({ unit: 'grapheme', maxLength: 9 })), fc.constantFrom('', 'a', 'é', null));
    fc.assert(
      fc.property(fc.array(row, { maxLength: 8 }), fc.integer({ min: 1, max: 70 }), (rows, pieceBytes) => {
        const kept = rows.map(([one, other]) => [one?.replaceAll('\0', '') ?? null, other]);
        expect(readIn(written(kept), 2, pieceBytes)).toEqual(kept);
      }),
    );
  });

  it('reads a row that is larger than many pieces', () => {
    const long = 'x'.repeat(100_000);
    expect(readIn(written([['a'], [long], ['b']]), 1, 1_000)).toEqual([['a'], [long], ['b']]);
  });

  it('gives no row that is not all there', () => {
    const bytes = written([['abc', 'def']]);
    const whole = bytes.length - 2;
    for (let length = 0; length < whole; length += 1) expect(readIn(bytes.subarray(0, length), 2, 7)).toEqual([]);
    expect(readIn(bytes.subarray(0, whole), 2, 7)).toEqual([['abc', 'def']]);
  });
});
