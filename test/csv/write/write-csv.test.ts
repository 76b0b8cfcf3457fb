import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvLines } from '../../../src/csv/write/write-csv.ts';

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

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\0x', '＝1', "'=1"])('guards people against %j', (cell) => {
    expect(csvLines({ guard: true })(['a', cell])).toBe(`a,'${cell}\r\n`);
  });

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
