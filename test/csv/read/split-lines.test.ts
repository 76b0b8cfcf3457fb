import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'csv-parse/sync';
import { blankFilter, type Line, lineSplitter, LONGEST_LINE } from '../../../src/csv/read/split-lines.ts';
import { endOfCell, isPlainlyQuoted, splitPlainRow } from '../../../src/csv/read/split-cells.ts';
import { COMMA } from '../../../src/kernel/byte-names.ts';
import { makeRoom, newLineBuffer, putBytes, putNumber, putText } from '../../../src/csv/read/line-buffer.ts';
import { type Charset, openPlainText } from '../../../src/csv/read/open-plain-text.ts';
import { chunksOf } from '../support.ts';

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

/** Returns the kept lines with their numbers, and the counts; the last text has no line end. */
function filter(...texts: string[]) {
  const count = { blankLines: 0, isLastLineOpen: false };
  const { take, takeLast } = blankFilter(count);
  const kept: Line[] = [];
  const lines = texts.map((text, index) => ({ number: index + 1, text, tooLong: false }));
  const last = lines.pop()!;
  for (const line of lines) take(line, kept);
  takeLast(last.text === '' ? undefined : last, kept);
  return { kept: kept.map(({ number, text }) => `${number} ${text}`), ...count };
}

describe('blankFilter', () => {
  it.each([
    [['a', '', '  ', '\u00a0', 'b', ''], ['1 a', '5 b'], 3, false],
    [['a', 'b'], ['1 a', '2 b'], 0, true],
    [['a', '  '], ['1 a'], 1, false],
    [['a', '\u001a', ''], ['1 a'], 1, false],
    [['a', '\u001a', '', ' ', ''], ['1 a'], 3, false],
    [['a', '\u001a'], ['1 a'], 1, false],
    [['a', '\u001a', '', 'b', ''], ['1 a', '2 \u001a', '4 b'], 1, false],
    [['a', 'b\u001a'], ['1 a', '2 b'], 0, true],
    [['a', 'b\u001a\u001a'], ['1 a', '2 b\u001a\u001a'], 0, true],
  ])('of %j keeps %j, with %i blank lines (open: %s)', (texts, kept, blankLines, isLastLineOpen) => {
    expect(filter(...texts)).toEqual({ kept, blankLines, isLastLineOpen });
  });

  it('takes no line that is too long for a blank one', () => {
    const count = { blankLines: 0, isLastLineOpen: false };
    const kept: Line[] = [];
    blankFilter(count).take({ number: 1, text: '', tooLong: true }, kept);
    expect([kept.length, count.blankLines]).toEqual([1, 0]);
  });

  it('says when a line is held back', () => {
    const { take, isWaiting } = blankFilter({ blankLines: 0, isLastLineOpen: false });
    const kept: Line[] = [];
    const states = ['a', '\u001a', '', 'b'].map((text, index) => {
      take({ number: index + 1, text, tooLong: false }, kept);
      return isWaiting();
    });
    expect(states).toEqual([false, true, true, false]);
  });
});

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

describe('a line buffer', () => {
  it('holds what was put into it, however much that is', () => {
    const into = newLineBuffer();
    const parts = Array.from({ length: 5_000 }, (_, index) => `${index};März 😀 ${'x'.repeat(index % 70)}\r\n`);
    for (const part of parts) putText(into, part);
    const bytes = Buffer.from('..between..');
    putBytes(into, bytes, 2, 9);
    expect(into.bytes.toString('utf8', 0, into.length)).toBe(`${parts.join('')}between`);
  });

  it('writes whole numbers as digits', () => {
    const into = newLineBuffer();
    const numbers = [0, 1, 9, 10, 99, 100, 1_000_000, 2_147_483_647, Number.MAX_SAFE_INTEGER];
    for (const number of numbers) putNumber(into, number, COMMA);
    expect(into.bytes.toString('utf8', 0, into.length)).toBe(`${numbers.join(',')},`);
  });

  it('makes room for more than twice what it has, and keeps what it holds', () => {
    const into = newLineBuffer();
    putText(into, 'first');
    expect(makeRoom(into, 1_000_000).length).toBeGreaterThanOrEqual(1_000_005);
    putText(into, ' second');
    expect(into.bytes.toString('utf8', 0, into.length)).toBe('first second');
  });

  it('is used again from its beginning', () => {
    const into = newLineBuffer();
    putText(into, 'first');
    into.length = 0;
    putText(into, '2nd');
    expect(into.bytes.toString('utf8', 0, into.length)).toBe('2nd');
  });
});

async function open(bytes: Buffer, charset: Charset, size: number): Promise<string> {
  const { source, decodeLine } = await openPlainText(chunksOf(bytes, size), charset);
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(piece);
  return decodeLine(Buffer.concat(pieces));
}

function swapped(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16();
}

const TEXT = 'Ñandú 山 👍,1\r\n';
const CASES: [string, Buffer, Charset, string][] = [
  ['UTF-8', Buffer.from(TEXT), 'utf-8', TEXT],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${TEXT}`), 'utf-8', TEXT],
  ['UTF-8 with a mark in a folder of windows-1252', Buffer.from(`\ufeff${TEXT}`), 'windows-1252', TEXT],
  ['UTF-16 LE', Buffer.from(`\ufeff${TEXT}`, 'utf16le'), 'utf-8', TEXT],
  ['UTF-16 BE', swapped(`\ufeff${TEXT}`), 'windows-1252', TEXT],
  ['half a surrogate pair', Buffer.from('\ufeffa\ud83d\nb', 'utf16le'), 'utf-8', 'a\ufffd\nb'],
  ['UTF-16 of an odd number of bytes', Buffer.from([0xff, 0xfe, 0x61, 0x00, 0x62]), 'utf-8', 'a\ufffd'],
  ['UTF-16 without a mark, NULs and all', Buffer.from('a,b', 'utf16le'), 'utf-8', 'a\0,\0b\0'],
  ['windows-1252', Buffer.from([0x80, 0x92, 0xe9, 0x9f]), 'windows-1252', '€’éŸ'],
  ['bytes that windows-1252 lacks', Buffer.from([0x81, 0x8d, 0x8f, 0x90, 0x9d]), 'windows-1252', '\ufffd'.repeat(5)],
  ['ISO 8859-1', Buffer.from([0xe9, 0x80]), 'iso-8859-1', 'é\u0080'],
  ['a cut character before a line end', Buffer.from([0x61, 0xc3, 0x0a, 0x62]), 'utf-8', 'a\ufffd\nb'],
  ['a cut character at the end', Buffer.from([0x61, 0xc3]), 'utf-8', 'a\ufffd'],
  ['one byte', Buffer.from('a'), 'utf-8', 'a'],
  ['half a mark', Buffer.from([0xef, 0xbb]), 'utf-8', '\ufffd'],
  ['a mark alone', Buffer.from('\ufeff'), 'utf-8', ''],
  ['nothing', Buffer.alloc(0), 'utf-8', ''],
];

describe('openPlainText', () => {
  it.each(CASES)('reads %s, however the bytes are cut', async (_, bytes, charset, expected) => {
    for (const size of [1, 2, 3, 5, 65_536]) {
      const text = await open(bytes, charset, size);
      // How many U+FFFD replace a run of bad bytes depends on the cut; that there is one does not.
      expect(text.replace(/\ufffd+/g, '\ufffd')).toBe(expected.replace(/\ufffd+/g, '\ufffd'));
    }
  });

  it('marks what cannot be read', async () => {
    expect(await open(Buffer.from('Z\u00fcrich', 'latin1'), 'utf-8', 3)).toBe('Z\ufffdrich');
    expect(
      await open(
        Buffer.concat([Buffer.from(`\ufeff${TEXT}`, 'utf16le'), Buffer.of(0x00, 0xd8, 0x61, 0x00)]),
        'utf-8',
        3,
      ),
    ).toBe(`${TEXT}\ufffda`);
  });

  it('closes the source when it is given up', async () => {
    let isClosed = false;
    async function* source() {
      try {
        for (;;) yield Buffer.from('abc\n');
      } finally {
        isClosed = true;
      }
    }
    const { source: opened } = await openPlainText(source(), 'utf-8');
    for await (const _ of opened) break;
    expect(isClosed).toBe(true);
  });
});
