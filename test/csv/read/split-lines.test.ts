import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineSplitter, LONGEST_LINE } from '../../../src/csv/read/split-lines.ts';

function split(...parts: string[]) {
  const splitter = lineSplitter();
  const lines = parts.flatMap((part) => splitter.push(part));
  const last = splitter.end();
  if (last) lines.push(last);
  return { lines, isOpen: last !== undefined };
}

describe('lineSplitter', () => {
  it.each([
    ['a\nb\n', ['a', 'b'], false],
    ['a\r\nb\r\n', ['a', 'b'], false],
    ['a\rb\r', ['a', 'b'], false],
    ['a\nb', ['a', 'b'], true],
    ['a\n\nb\n', ['a', '', 'b'], false],
    ['a\r\r\nb\n', ['a', '', 'b'], false],
    ['a\r\nb\n', ['a', 'b'], false],
    ['a\rb\n', ['a', 'b'], false],
    ['a\n\rb\n', ['a', '', 'b'], false],
    ['\n', [''], false],
    ['', [], false],
  ])('cuts %j', (text, expected, isOpen) => {
    const found = split(text);
    expect(found.lines.map((line) => line.text)).toEqual(expected);
    expect(found.lines.map((line) => line.number)).toEqual(expected.map((_, index) => index + 1));
    expect(found.isOpen).toBe(isOpen);
  });

  it('takes a CRLF that is cut in two for one line end', () => {
    expect(split('a\r', '\nb\r', '', '\n')).toEqual(split('a\r\nb\r\n'));
    expect(split('a\r', 'b\r').lines.map((line) => line.text)).toEqual(['a', 'b']);
  });

  it('keeps no line that is too long, and all others', () => {
    const longest = 'x'.repeat(LONGEST_LINE);
    for (const text of [`${longest}\n${longest}x\nb\n`, `${longest}\n${longest}x\nb`]) {
      const { lines } = split(...(text.match(/[^]{1,1000}/g) ?? []));
      expect(lines.map((line) => [line.text.length, line.tooLong])).toEqual([
        [LONGEST_LINE, false],
        [0, true],
        [1, false],
      ]);
    }
  });

  it('gives the same lines however the text is cut', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\r', '\n', ','), maxLength: 40 });
    fc.assert(
      fc.property(text, fc.array(fc.nat(40)), (text, cuts) => {
        const at = [0, ...cuts.filter((cut) => cut <= text.length).sort((a, b) => a - b), text.length];
        const parts = at.slice(1).map((end, index) => text.slice(at[index], end));
        expect(split(...parts)).toEqual(split(text));
      }),
    );
  });
});
