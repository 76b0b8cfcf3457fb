import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Charset } from '../../src/csv/decode-text.ts';
import { leaveOutReason } from '../../src/csv/leave-out-reason.ts';
import { cellsOf, type RawLineOptions, readRawLines } from '../../src/csv/read-raw-lines.ts';
import { newFileShape, readRecords } from '../../src/csv/read-records.ts';
import { BLOCK_BYTES } from '../../src/csv/read-blocks.ts';
import type { RawRow } from '../../src/kernel/rows.ts';
import { CARD_HEADER, cardLine, chunksOf } from './support.ts';

/** What the rows are, by the reader that the check uses too. */
async function byRecords(bytes: Buffer, { charset, headerLine, operation }: RawLineOptions): Promise<RawRow[]> {
  const records: RawRow[] = [];
  for await (const group of readRecords(chunksOf(bytes), charset, newFileShape())) {
    records.push(...group.map(({ line, cells }) => ({ line, cells })));
  }
  const header = records.find((record) => record.line === headerLine);
  const data = records.filter((record) => record !== header);
  return operation ? [...leaveOutReason(operation, header, data)] : data;
}

async function byLines(bytes: Buffer, options: RawLineOptions, chunkBytes = 65_536) {
  const rows: RawRow[] = [];
  let plain = 0;
  for await (const found of readRawLines(chunksOf(bytes, chunkBytes), options)) {
    found.lines.forEach((line, place) => rows.push({ line, cells: cellsOf(found, place) }));
    plain += found.lines.length - found.cells.size;
  }
  return { rows, plain };
}

const CHARSETS: readonly Charset[] = ['utf-8', 'iso-8859-1', 'windows-1252'];
const BYTES = (text: string): Buffer => Buffer.from(text, 'latin1');

/** What lines may be made of: everything that one of the steps of the reference looks for. */
const QUOTED = ['"', '""', '="1"', '"a,b"', ',"a, b",', ',"",', ',"-1"', ', "a" ,'];
const ODD = '\x00 \x1a \x7f \x80 \x81 \xa0 \xc3\xa9 \xc3 \xff \xe2\x80\xa8 \xef\xbf\xbd \xef\xbb\xbf'.split(' ');
const PIECES = ['a', 'INV-7', ',', ',', '25.00', ' ', '\t', 'x'.repeat(99), ...QUOTED, ...ODD].map(BYTES);
const LINE_ENDS = ['\n', '\n', '\r\n', '\r\n', '\r', '\n\n', '\n\x1a\n', '\r\r\n', ''].map(BYTES);
const STARTS = ['', '', '', '\xef\xbb\xbf', '\xff\xfe', '\xfe\xff', '\xef\xbb', '\xff'].map(BYTES);

const FILE = fc
  .tuple(
    fc.constantFrom(...STARTS),
    fc.array(fc.tuple(fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }), fc.constantFrom(...LINE_ENDS)), {
      maxLength: 12,
    }),
    fc.array(fc.constantFrom(...PIECES), { maxLength: 3 }),
  )
  .map(([start, lines, rest]) => Buffer.concat([start, ...lines.flatMap(([cells, end]) => [...cells, end]), ...rest]));

describe('readRawLines', () => {
  it('finds the rows that readRecords finds, whatever the bytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        FILE,
        fc.constantFrom(...CHARSETS),
        fc.option(fc.integer({ min: 1, max: 4 })),
        fc.integer({ min: 1, max: 40 }),
        async (bytes, charset, headerLine, chunkBytes) => {
          const options = { charset, headerLine };
          expect((await byLines(bytes, options, chunkBytes)).rows).toEqual(await byRecords(bytes, options));
        },
      ),
      { numRuns: 4_000 },
    );
  });

  it.each([
    ['a line as long as is allowed', 'x'.repeat(16_384)],
    ['one more', 'x'.repeat(16_385)],
    ['a long line of characters of two bytes', 'é'.repeat(16_384)],
    ['a line longer than a block', 'x'.repeat(BLOCK_BYTES + 10)],
    ['a line of three blocks', 'x,'.repeat(BLOCK_BYTES * 1.5)],
    ['a line that ends a block exactly', 'x'.repeat(BLOCK_BYTES - 4)],
    ['one that leaves a block its CR', 'x'.repeat(BLOCK_BYTES - 3)],
    ['many lines with lone CRs', `${'a,b\r'.repeat(60_000)}c`],
    ['many plain lines', 'a,b,c\r\n'.repeat(30_000)],
    ['many quoted lines', '"a",b,c\r\n'.repeat(30_000)],
    ['many blank lines', '\r\n'.repeat(150_000)],
  ])('finds the rows that readRecords finds: %s', async (_what, line) => {
    for (const ends of ['\r\n', '\n', '\r']) {
      const bytes = Buffer.from(`a${ends}${line}${ends}b,c${ends}\x1a`);
      const options = { charset: 'utf-8', headerLine: null } as const;
      expect((await byLines(bytes, options)).rows).toEqual(await byRecords(bytes, options));
      const open = Buffer.from(`a${ends}${line}`);
      expect((await byLines(open, options)).rows).toEqual(await byRecords(open, options));
    }
  });

  it.each([
    `${CARD_HEADER},Reason\n${cardLine()},because\n${cardLine({ city: '"Troy, NY"' })},why\n\n${cardLine()},\n`,
    `"Date",${CARD_HEADER.slice(5)},Reason\n${cardLine()},because\n`,
    `${CARD_HEADER}\n${cardLine()}\n`,
  ])('leaves out the header, and the column of reasons where there is one', async (text) => {
    for (const bytes of [Buffer.from(text), Buffer.from(`\ufeff${text}`), Buffer.from(`\ufeff${text}`, 'utf16le')]) {
      const options = { charset: 'utf-8', headerLine: 1, operation: 'card' } as const;
      const { rows } = await byLines(bytes, options, 7);
      expect(rows).toEqual(await byRecords(bytes, options));
      expect(rows.every((row) => row.cells.length === 12)).toBe(true);
    }
  });

  it('reads no cells of rows that are plain', async () => {
    const cities = ['Troy', '"Troy, NY"', '"Troy ""NY""."', 'Orléans', 'Troy\t', 'T"roy'];
    const text = cities.map((city) => `${cardLine({ city })}\r\n`).join('');
    expect((await byLines(Buffer.from(text), { charset: 'utf-8', headerLine: null })).plain).toBe(2);
  });

  it('gives nothing of an empty file', async () => {
    expect((await byLines(Buffer.alloc(0), { charset: 'utf-8', headerLine: null })).rows).toEqual([]);
  });
});
