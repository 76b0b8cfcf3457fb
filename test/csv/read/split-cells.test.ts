import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitCells, splitQuoted } from '../../../src/csv/read/split-cells.ts';

function read(...texts: string[]) {
  return splitCells(texts.map((text, index) => ({ number: index + 1, text, tooLong: false })));
}

describe('splitCells', () => {
  it.each([
    ['a,b,c', ['a', 'b', 'c']],
    ['a,,', ['a', '', '']],
    [' a , b ', [' a ', ' b ']],
    ['"a","b"', ['a', 'b']],
    ['a,"b,c",d', ['a', 'b,c', 'd']],
    ['a,"b ""c""",d', ['a', 'b "c"', 'd']],
    ['a, "b" ,c', ['a', 'b', 'c']],
    ['a,"",c', ['a', '', 'c']],
    ['="007",b', ['="007"', 'b']],
    ['a,="007"', ['a', '="007"']],
  ])('reads %s', (text, cells) => {
    expect(read(text)).toEqual([{ line: 1, cells }]);
  });

  it.each([
    ['a,b"c,d', 'STRAY_QUOTE'],
    ['a,"b"c,d', 'STRAY_QUOTE'],
    ['a,"b" c,d', 'STRAY_QUOTE'],
    ['5" pipe,b', 'STRAY_QUOTE'],
    ['a,"b', 'LINE_BREAK'],
    ['a,"', 'LINE_BREAK'],
    ['a\0b', 'CONTROL_CHARACTER'],
    ['a\tb', 'CONTROL_CHARACTER'],
    ['a\u007fb', 'CONTROL_CHARACTER'],
    ['a\u0085b', 'CONTROL_CHARACTER'],
    ['a\u2028b', 'CONTROL_CHARACTER'],
    ['a\ufffdb', 'ENCODING'],
  ])('finds %j unreadable: %s', (text, code) => {
    expect(read(text)).toMatchObject([{ line: 1, cells: [], fault: { code } }]);
  });

  it('says where the bad character stands, and not what stands around it', () => {
    expect(read('4222222222222220\u0007')[0]?.fault?.detail).toBe('U+0007 is character 17 of the line');
    expect(read('ab\ufffd')[0]?.fault?.detail).toBe('character 3 of the line');
  });

  it('gives faults, never one row, for two stray quotes that would join two payments', () => {
    const records = read('1,"Ada,5.00', '2,Bob",6.00', '3,"Eve, E",7.00');
    expect(records.map((record) => [record.line, record.cells, record.fault?.code])).toEqual([
      [1, [], 'LINE_BREAK'],
      [2, [], 'STRAY_QUOTE'],
      [3, ['3', 'Eve, E', '7.00'], undefined],
    ]);
  });

  it('gives faults also where the joined line would be well-formed', () => {
    expect(read('1,"Ada', 'Bob",6.00').map((record) => record.fault?.code)).toEqual(['LINE_BREAK', 'STRAY_QUOTE']);
  });

  it('keeps lines in order around lines that are too long', () => {
    const lines = [
      { number: 3, text: 'a,"b"', tooLong: false },
      { number: 4, text: '', tooLong: true },
      { number: 5, text: 'c,"d"', tooLong: false },
    ];
    expect(splitCells(lines)).toEqual([
      { line: 3, cells: ['a', 'b'] },
      { line: 4, cells: [], fault: { code: 'LINE_TOO_LONG' } },
      { line: 5, cells: ['c', 'd'] },
    ]);
  });

  it('agrees with csv-parse, given each line alone, on cells and on faults', () => {
    const text = fc
      .string({ unit: fc.constantFrom('a', 'b', ',', ',', '"', '"', ' ', 'é'), maxLength: 14 })
      .filter((line) => line.trim() !== '');
    fc.assert(
      fc.property(fc.array(text, { maxLength: 6 }), (lines) => {
        const alone = lines.map((line) => {
          try {
            return parse(line, { relax_column_count: true, trim: true })[0];
          } catch {
            return 'fault';
          }
        });
        const together = read(...lines).map(({ cells, fault }) => (fault ? 'fault' : cells.map((cell) => cell.trim())));
        expect(together).toEqual(
          alone.map((cells) => (Array.isArray(cells) ? cells.map((cell) => cell.trim()) : cells)),
        );
      }),
      { numRuns: 300 },
    );
  });
});

describe('splitQuoted', () => {
  it.each<[string, string[]]>([
    ['"a","b"', ['a', 'b']],
    ['a,"b, c",d', ['a', 'b, c', 'd']],
    ['a, " b " ,c ', ['a', ' b ', 'c']],
    ['"",', ['', '']],
    ['"Zürich"', ['Zürich']],
  ])('cuts %s', (text, cells) => {
    expect(splitQuoted(text)).toEqual(cells);
  });

  it.each(['"a"b', 'a"b"', '"a""b"', '"a', 'a"', '"a" "b"', '"', '\u00a0a,"b"'])('leaves %j to csv-parse', (text) => {
    expect(splitQuoted(text)).toBeUndefined();
  });

  it('cuts nothing otherwise than csv-parse', () => {
    const unit = fc.constantFrom('a', 'é', ',', ',', '"', '"', '"', ' ', '\u00a0', '\ufeff', '\u3000', '=');
    const counted = { cut: 0 };
    fc.assert(
      fc.property(fc.string({ unit, minLength: 1, maxLength: 14 }), (text) => {
        const cells = splitQuoted(text);
        if (!cells || !text.includes('"')) return;
        counted.cut += 1;
        expect(cells).toEqual(parse(text, { record_delimiter: '\n', relax_column_count: true, trim: true })[0]);
      }),
      { numRuns: 50_000 },
    );
    expect(counted.cut).toBeGreaterThan(2_000);
  });
});
