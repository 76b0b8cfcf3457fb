import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellSplitter, endsInQuotes } from '../../../../src/csv/profile/read/split-dialect.ts';
import { splitCells, splitQuoted } from '../../../../src/csv/read/split-cells.ts';

const split = cellSplitter({ separator: ';', quotes: 'double' });

describe('a line', () => {
  it.each([
    ['a;b;c', ['a', 'b', 'c']],
    ['', ['']],
    [';;', ['', '', '']],
    [' a ; b ', [' a ', ' b ']],
    ['"a;b";c', ['a;b', 'c']],
    ['"a""b";""', ['a"b', '']],
    [' "a" ; "b"', ['a', 'b']],
    ['""""', ['"']],
    ['="00123";x', ['="00123"', 'x']],
    ['"=""00123""";x', ['="00123"', 'x']],
    ['a,b;c', ['a,b', 'c']],
  ])('%s becomes %j', (text, cells) => {
    expect(split(text)).toEqual(cells);
  });

  it.each([
    ['5" pipe;b', 'STRAY_QUOTE'],
    ['"a"b;c', 'STRAY_QUOTE'],
    ['"a" "b"', 'STRAY_QUOTE'],
    ['="0;1";x', 'STRAY_QUOTE'],
    ['"a;b', 'LINE_BREAK'],
    ['a;"b""', 'LINE_BREAK'],
  ])('%s is refused as %s', (text, code) => {
    expect(split(text)).toBe(code);
  });

  it('may hold no quote in a dialect without quotes', () => {
    const plain = cellSplitter({ separator: '|', quotes: 'none' });
    expect(plain('a|b')).toEqual(['a', 'b']);
    expect(plain('a|"b"')).toBe('STRAY_QUOTE');
  });

  it('gives back all cells that were written by RFC 4180', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', ';', '"', ' ', '=', 'é'), maxLength: 6 });
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 6 }), (cells) => {
        const line = cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(';');
        expect(split(line)).toEqual(cells);
        expect(endsInQuotes(line)).toBe(false);
      }),
    );
  });

  it('has the cells that it has in a plain payment file, or is refused', () => {
    const commas = cellSplitter({ separator: ',', quotes: 'double' });
    const trimmed = (cells: readonly string[]) => cells.map((cell) => cell.trim());
    const line = fc.string({ unit: fc.constantFrom('a', ',', ',', '"', ' ', '='), maxLength: 12 });
    fc.assert(
      fc.property(line, (text) => {
        const cells = commas(text);
        const [plain] = splitCells([{ number: 1, text, tooLong: false }]);
        if (typeof cells !== 'string') expect(trimmed(cells)).toEqual(trimmed(plain!.cells));
        // Odd quotes are left to csv-parse there, which is lenient with some.
        else expect(splitQuoted(text)).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });
});
