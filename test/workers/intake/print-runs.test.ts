import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { writePrint } from '../../../src/ledger/copy/row-tuples.ts';
import { tupleWriter } from '../../../src/ledger/copy/tuple-writer.ts';
import { PRINT_BYTES } from '../../../src/crypto/fingerprints/row-print.ts';
import { printRuns } from '../../../workers/intake/fingerprint-row.ts';

const OF = { fileNo: 7, volume: 3 };
const PIECE_ROWS = 16_384;

type Row = { print: Buffer; line: number };

const someRows = (count: number): Row[] =>
  Array.from({ length: count }, (_, index) => ({ print: randomBytes(PRINT_BYTES), line: index + 1 }));

/** Sorts by the first four bytes, as PostgreSQL orders numbers. Equal ones keep their order. */
const sorted = (rows: readonly Row[]) => rows.toSorted((a, b) => a.print.readInt32BE() - b.print.readInt32BE());

function tuplesOf(rows: readonly Row[]): Uint8Array {
  const to = tupleWriter();
  for (const { print, line } of rows) writePrint(to, OF, line, print, 0);
  return to.take()!;
}

function addAll(runs: ReturnType<typeof printRuns>, rows: readonly Row[]): void {
  for (const { print, line } of rows) {
    const bytes = Buffer.concat([randomBytes(16), print]);
    runs.add(bytes, 16, line);
  }
}

describe('printRuns', () => {
  it('gives every print out once, in pieces, in the order of the prints', () => {
    const runs = printRuns(OF);
    const rows = someRows(PIECE_ROWS + 5_000);
    addAll(runs, rows);
    const pieces = [...runs.take()];
    const wanted = [tuplesOf(sorted(rows).slice(0, PIECE_ROWS)), tuplesOf(sorted(rows).slice(PIECE_ROWS))];
    // Compared as bytes, because `toEqual` checks each of a million numbers separately.
    expect(pieces.map((piece) => piece.length)).toEqual(wanted.map((piece) => piece.length));
    expect(Buffer.concat(pieces).equals(Buffer.concat(wanted))).toBe(true);
    expect([...runs.take()]).toEqual([]);
  });

  it('begins anew after each run, which may have grown beyond its size', () => {
    const runs = printRuns(OF, 100);
    for (const count of [99, 100, 150, 3, 0]) {
      const rows = someRows(count);
      addAll(runs, rows);
      expect(runs.isFull()).toBe(count >= 100);
      expect([...runs.take()]).toEqual(count === 0 ? [] : [tuplesOf(sorted(rows))]);
      expect(runs.isFull()).toBe(false);
    }
  });

  it('keeps apart prints that begin alike, and the smallest and the largest that there are', () => {
    const runs = printRuns(OF);
    const prints = ['7fffffffffffffff', '8000000000000000', 'ffffffffffffffff', '0000000000000000', '0000000000000001'];
    const rows = prints.map((print, index) => ({ print: Buffer.from(print, 'hex'), line: index + 1 }));
    addAll(runs, rows);
    expect([...runs.take()]).toEqual([tuplesOf([rows[1]!, rows[2]!, rows[3]!, rows[4]!, rows[0]!])]);
  });
});
