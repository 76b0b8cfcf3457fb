import fc from 'fast-check';
import { expect } from 'vitest';
import type { Charset } from '../../src/csv/read/open-plain-text.ts';
import { leaveOutReason } from '../../src/csv/check/leave-out-reason.ts';
import { cellsOf, type RawLineOptions, readRawLines } from '../../src/csv/read/read-raw-lines.ts';
import { newFileShape } from '../../src/csv/read/split-lines.ts';
import { readRecords } from './compare/read-records.ts';
import type { RawRow } from '../../src/rows/rows.ts';
import { chunksOf } from './support.ts';

/** Returns the rows as found by the reader that the check uses too. */
export async function byRecords(bytes: Buffer, { charset, headerLine, operation }: RawLineOptions): Promise<RawRow[]> {
  const records: RawRow[] = [];
  for await (const group of readRecords(chunksOf(bytes), charset, newFileShape())) {
    records.push(...group.map(({ line, cells }) => ({ line, cells })));
  }
  const header = records.find((record) => record.line === headerLine);
  const data = records.filter((record) => record !== header);
  return operation ? [...leaveOutReason(operation, header, data)] : data;
}

export async function byLines(bytes: Buffer, options: RawLineOptions, chunkBytes = 65_536) {
  const rows: RawRow[] = [];
  let plain = 0;
  for await (const found of readRawLines(chunksOf(bytes, chunkBytes), options)) {
    found.lines.forEach((line, place) => rows.push({ line, cells: cellsOf(found, place) }));
    plain += found.lines.length - found.cells.size;
  }
  return { rows, plain };
}

/** Requires both readers to find the same. Comparing as text takes a tenth of the time. */
export async function expectSameRows(bytes: Buffer, options: RawLineOptions, chunkBytes?: number): Promise<void> {
  const { rows } = await byLines(bytes, options, chunkBytes);
  const expected = await byRecords(bytes, options);
  if (JSON.stringify(rows) !== JSON.stringify(expected)) expect(rows).toEqual(expected);
}

const CHARSETS: readonly Charset[] = ['utf-8', 'iso-8859-1', 'windows-1252'];
const BYTES = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Pieces of lines: everything that a step of the reference looks for. */
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

/** Property that the rows are the same for any bytes, in any pieces. */
export const ANY_LINES = fc.asyncProperty(
  FILE,
  fc.constantFrom(...CHARSETS),
  fc.option(fc.integer({ min: 1, max: 4 })),
  fc.integer({ min: 1, max: 40 }),
  async (bytes, charset, headerLine, chunkBytes) => {
    await expectSameRows(bytes, { charset, headerLine }, chunkBytes);
  },
);
