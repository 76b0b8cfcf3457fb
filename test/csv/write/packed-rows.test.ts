import { describe, expect, it } from 'vitest';
import { cellEnd, cellStart, newRowPack, packRow, packScanned } from '../../../src/csv/write/packed-rows.ts';
import type { PaymentRow } from '../../../src/rows/rows.ts';

function row(line: number, ...canonical: string[]): PaymentRow {
  return { line, invoice: canonical[0]!, customerCode: '', amountCents: 100 * line, number: '', canonical };
}

describe('packRow', () => {
  it('lays rows behind each other, each with its LF, line and cents', () => {
    const pack = newRowPack();
    packRow(pack, row(2, 'A', 'Zoë', '2.00'));
    packRow(pack, row(5, 'B', '', '5.00'));
    const { count, bytes, starts, lines, cents } = pack;
    const end = starts[2]!;
    expect(Buffer.from(bytes.subarray(0, end)).toString()).toBe('A,Zoë,2.00\nB,,5.00\n');
    expect([count, [...starts.subarray(0, 3)], [...lines.subarray(0, 2)]]).toEqual([2, [0, 12, 20], [2, 5]]);
    expect([...cents.subarray(0, 2)]).toEqual([200, 500]);
  });

  it('grows with its rows and their length, and begins anew for each group', () => {
    const pack = newRowPack();
    const name = '山'.repeat(400);
    for (let line = 1; line <= 3_000; line += 1) packRow(pack, row(line, name, String(line)));
    const { count, bytes, starts, lines } = pack;
    expect([count, lines[2_999]]).toEqual([3_000, 3_000]);
    const last = Buffer.from(bytes.subarray(starts[2_999], starts[3_000]));
    expect(last.toString()).toBe(`${name},3000\n`);
    pack.count = 0;
    packRow(pack, row(7, 'x'));
    expect(pack.count).toBe(1);
    expect([...pack.starts.subarray(0, 2)]).toEqual([0, 2]);
  });
});

describe('packScanned', () => {
  it('adds some of the rows that were scanned behind those that are there, on lines one after another', () => {
    const pack = newRowPack();
    packRow(pack, row(1, 'x'));
    const scanned = {
      bytes: Buffer.from('skipped\ny,z\nzz\nleft out\n'),
      starts: Uint32Array.of(0, 8, 12, 15, 24),
      cents: Float64Array.of(1, -5, 2 ** 40, 3),
    };
    packScanned(pack, scanned, { from: 1, to: 3, firstLine: 9 });
    expect(pack.count).toBe(3);
    expect(Buffer.from(pack.bytes.subarray(0, pack.starts[3])).toString()).toBe('x\ny,z\nzz\n');
    expect([...pack.starts.subarray(0, 4)]).toEqual([0, 2, 6, 9]);
    expect([...pack.lines.subarray(0, 3)]).toEqual([1, 9, 10]);
    expect([...pack.cents.subarray(0, 3)]).toEqual([100, -5, 2 ** 40]);
  });

  it('adds nothing when no row was taken', () => {
    const pack = newRowPack();
    const scanned = { bytes: new Uint8Array(), starts: Uint32Array.of(0), cents: new Float64Array() };
    packScanned(pack, scanned, { from: 0, to: 0, firstLine: 1 });
    expect([pack.count, pack.starts[0]]).toEqual([0, 0]);
  });
});

describe('cellStart and cellEnd', () => {
  const bytes = Buffer.from('x,y\nINV-7,,25.00,last\n');
  it.each([
    [0, 'INV-7'],
    [1, ''],
    [2, '25.00'],
    [3, 'last'],
  ])('find cell %i of a row', (column, cell) => {
    const start = cellStart(bytes, 4, column);
    expect(bytes.toString('latin1', start, cellEnd(bytes, start))).toBe(cell);
  });
});
