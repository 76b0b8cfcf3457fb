import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvLines, guardCsv } from '../../../src/csv/write/write-csv.ts';
import { guardCell, unguardCell } from '../../../src/csv/write/guard-cell.ts';
import { CARD } from '../../support/payment-rows.ts';
import {
  canonicalBytes,
  cellEnd,
  cellStart,
  newRowPack,
  packRow,
  packScanned,
  unpackRows,
} from '../../../src/csv/write/packed-rows.ts';
import type { PaymentRow } from '../../../src/rows/rows.ts';
import { ACCOUNT, achLine, cardLine, checkAll, VISA } from '../support.ts';

describe('csvLines', () => {
  it.each([
    [['a', 'b'], 'a,b\r\n'],
    [['a,b', 'c"d', 'e'], '"a,b","c""d",e\r\n'],
    [['a\nb', 'c\rd'], '"a\nb","c\rd"\r\n'],
    [['', ''], ',\r\n'],
    [['=1+1', '-5.00'], '=1+1,-5.00\r\n'],
  ])('writes %j', (cells, line) => {
    expect(csvLines()(cells)).toBe(line);
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\0x', '＝1', '＋1', '－1', '＠SUM(A1)', "'=1"])(
    'guards people against %j',
    (cell) => {
      expect(csvLines({ guard: true })(['a', cell])).toBe(`a,'${cell}\r\n`);
    },
  );

  it('guards also where the cell needs quotes', () => {
    expect(csvLines({ guard: true })(['=1,2', '\rx'])).toBe('"\'=1,2","\'\rx"\r\n');
  });

  it.each(['a=1', '1-2', "'1", '', '25.00'])('leaves %j as it is', (cell) => {
    expect(csvLines({ guard: true })([cell, 'b'])).toBe(`${cell},b\r\n`);
  });

  it('leaves amounts numbers, and nothing else that stands in their column', () => {
    const line = csvLines({ guard: true });
    const amounts = new Set([1]);
    expect(line(['-5.00', '-5.00'], amounts)).toBe("'-5.00,-5.00\r\n");
    expect(line(['x', '-5'], amounts)).toBe('x,-5\r\n');
    expect(line(['x', '-1+cmd'], amounts)).toBe("x,'-1+cmd\r\n");
    expect(line(['x', '=5'], amounts)).toBe("x,'=5\r\n");
  });

  it('writes what csv-stringify writes', () => {
    const cells = fc.array(fc.string({ unit: fc.constantFrom('a', ',', '"', '\r', '\n', ' ', 'é', '\t', "'") }), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(cells, (row) => {
        expect(csvLines()(row)).toBe(stringify([row], { record_delimiter: '\r\n', quote_record_delimiter: true }));
      }),
      { numRuns: 2_000 },
    );
  });

  it('writes what a reader of CSV reads back', () => {
    const line = csvLines();
    const cells = fc.array(fc.string({ unit: fc.constantFrom('a', ',', '"', '\r', '\n', ' ', 'é') }), {
      minLength: 2,
      maxLength: 5,
    });
    fc.assert(
      fc.property(fc.array(cells, { minLength: 1, maxLength: 4 }), (rows) => {
        const text = rows.map((cells) => line(cells)).join('');
        expect(parse(text, { record_delimiter: '\r\n', relax_column_count: true })).toEqual(rows);
      }),
    );
  });
});

describe('guardCell', () => {
  it.each([
    ['+M-2', "'+M-2"],
    ["'+M-2", "''+M-2"],
    [' =1', "'=1"],
    [" '+M-2 ", "''+M-2"],
    ["'t Hooft", "'t Hooft"],
    ['M-2', 'M-2'],
    ["'", "'"],
  ])('writes %j as %j', (cell, shown) => {
    expect(guardCell(cell)).toBe(shown);
  });

  it('leaves nothing that begins like a formula', () => {
    fc.assert(
      fc.property(CELL, (cell) => {
        expect(guardCell(cell).trim()).not.toMatch(/^[=+\-@\uff1d\uff0b\uff0d\uff20]/);
      }),
    );
  });
});

describe('unguardCell', () => {
  it('gives back every cell but for blanks around it, however often it was guarded', () => {
    fc.assert(
      fc.property(CELL, fc.integer({ min: 1, max: 3 }), (cell, times) => {
        let shown = cell;
        for (let left = times; left > 0; left -= 1) shown = guardCell(shown);
        for (let left = times; left > 0; left -= 1) shown = unguardCell(shown);
        expect(shown.trim()).toBe(cell.trim());
      }),
    );
  });

  it.each(["'t Hooft", "O'Neill", "'1", '', "'", '+1'])('leaves %j, which nobody guarded', (cell) => {
    expect(unguardCell(cell)).toBe(cell);
  });

  it("takes the apostrophe also where somebody put blanks around it: '+1", () => {
    expect(unguardCell(" '+1 ")).toBe('+1');
  });
});

const CELL = fc.string({
  unit: fc.constantFrom("'", '=', '+', '-', '@', ' ', '\u00a0', 'a', '1', '.', '\uff1d', '"', ','),
  maxLength: 6,
});

describe('guardCsv', () => {
  it.each([
    ['plain cells', 'Code,Name\r\nA1,Ada\r\n', 'Code,Name\r\nA1,Ada\r\n'],
    ['a formula', 'Code,Name\nA1,=1+1\nA2,@x\n', "Code,Name\r\nA1,'=1+1\r\nA2,'@x\r\n"],
    ['a quoted formula', 'Code,Name\r\nA1,"=HYPERLINK(""x"",1)"\r\n', `Code,Name\r\nA1,"'=HYPERLINK(""x"",1)"\r\n`],
    [
      'an amount and what looks like one',
      'Amount,Name\n-5.00,-5.00\n=5,x\n',
      "Amount,Name\r\n-5.00,'-5.00\r\n'=5,x\r\n",
    ],
    ['a line break in a cell', 'Name\r\n"a\r\nb"\r\n', 'Name\r\n"a\r\nb"\r\n'],
    ['rows of other lengths, blank lines and a mark', '\ufeffA,B\n\n1\n1,2,+3\n', "A,B\r\n1\r\n1,2,'+3\r\n"],
    ['a stray quote', 'Name\nO"Byron\n', 'Name\r\n"O""Byron"\r\n'],
    ['nothing', '', ''],
  ])('writes %s', (_what, text, guarded) => {
    expect(guardCsv(text)).toBe(guarded);
  });

  it('does not repeat what it cannot read', () => {
    const read = () => guardCsv(`Name\n"${CARD}`);
    expect(read).toThrow('Cannot read a CSV of the service: it is not CSV.');
    expect(read).not.toThrow(CARD);
  });
});

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

const NONE = { invoice: 'INV-1', customerCode: '', number: '' };

it.each<[Parameters<typeof unpackRows>[0]['layout'], PaymentRow]>([
  ['card', { ...NONE, line: 2, amountCents: 2_500, number: VISA, canonical: cardLine({ city: 'Zürich' }).split(',') }],
  ['ach', { ...NONE, line: 3, amountCents: -500, number: ACCOUNT, canonical: achLine({ amount: '-5.00' }).split(',') }],
  ['card-code', { ...NONE, line: 9, amountCents: 5, customerCode: 'C', canonical: ['INV-1', 'C', '0.05', ''] }],
])('unpackRows gives back the rows of %s that were packed', (layout, payment) => {
  const pack = newRowPack();
  packRow(pack, payment);
  packRow(pack, { ...payment, line: 77 });
  expect(unpackRows({ layout, packed: pack })).toEqual([payment, { ...payment, line: 77 }]);
});

it('unpackRows finds no rows where no layout is known', () => {
  expect(unpackRows({ layout: undefined, packed: newRowPack() })).toEqual([]);
});

describe('canonicalBytes', () => {
  it('joins cells by commas and rows by LF, none after the last, in UTF-8', async () => {
    const { rows } = await checkAll('INV-1,A1,5,Ñandú\r\nINV-2,A2,7.5,"x, y"\r\n', { operation: 'ach-charge' });
    const bytes = canonicalBytes(rows.flatMap((row) => row.payment ?? []));
    expect(bytes).toEqual(Buffer.from('INV-1,A1,5.00,Ñandú\nINV-2,A2,7.50,x y'));
  });

  it('has no bytes for no rows', () => {
    expect(canonicalBytes([])).toHaveLength(0);
  });
});
