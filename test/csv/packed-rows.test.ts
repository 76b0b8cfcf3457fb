import { describe, expect, it } from 'vitest';
import { cellEnd, cellStart, closeRow, makeRoom, newRowPack, packRow } from '../../src/csv/packed-rows.ts';
import type { PaymentRow } from '../../src/kernel/rows.ts';

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

describe('closeRow', () => {
  it('adds a row whose bytes stand there already', () => {
    const pack = newRowPack();
    packRow(pack, row(1, 'x'));
    makeRoom(pack, { rows: 1, bytes: 4 });
    pack.bytes.set(Buffer.from('y,z\n'), 2);
    closeRow(pack, { end: 6, line: 9, cents: -5 });
    expect(pack.count).toBe(2);
    expect(Buffer.from(pack.bytes.subarray(0, pack.starts[2])).toString()).toBe('x\ny,z\n');
    expect([pack.lines[1], pack.cents[1]]).toEqual([9, -5]);
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
