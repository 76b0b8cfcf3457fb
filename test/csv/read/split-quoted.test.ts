import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitQuoted } from '../../../src/csv/read/split-cells.ts';

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
