import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endOfCell, isPlainlyQuoted, splitPlainRow } from '../../../src/csv/read/plain-row.ts';

const PRINTABLE = fc.string({ unit: fc.constantFrom('a', '1', ',', ',', '"', '"', ' ', '='), maxLength: 14 });

function isPlain(line: string): boolean {
  return isPlainlyQuoted(Buffer.from(line), 0, line.length);
}

describe('plain rows', () => {
  it('have the cells that csv-parse finds', () => {
    let plain = 0;
    fc.assert(
      fc.property(PRINTABLE, (line) => {
        if (!line.includes('"') || !isPlain(line)) return;
        plain += 1;
        expect([splitPlainRow(line)]).toEqual(parse(line, { relax_column_count: true, trim: true }));
      }),
      { numRuns: 20_000 },
    );
    expect(plain).toBeGreaterThan(500);
  });

  it('are cut where their cells end', () => {
    fc.assert(
      fc.property(PRINTABLE, (line) => {
        if (!isPlain(line)) return;
        const bytes = Buffer.from(`${line}\n`);
        const cells: string[] = [];
        for (let cell = 0; cell <= line.length; ) {
          const end = endOfCell(bytes, cell, line.length);
          cells.push(line.slice(cell, end).replace(/^"(.*)"$/, '$1'));
          cell = end + 1;
        }
        expect(cells).toEqual(splitPlainRow(line));
      }),
      { numRuns: 5_000 },
    );
  });

  it.each(['"a"', 'a,"b, c",d', '"",""', '"a",', ',"a"', '" a ",b'])('%j is one', (line) => {
    expect(isPlain(line)).toBe(true);
  });

  it.each(['"a', 'a"', 'a"b', '"a""b"', '"a"b,c', ' "a"', '"a" ', '"a", b', '"a",b ', '"a,b', '="1"', '"'])(
    '%j is none',
    (line) => {
      expect(isPlain(line)).toBe(false);
    },
  );
});
