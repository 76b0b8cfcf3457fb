import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { tryProperty } from '../../gateway/support/seeds.ts';
import { ANY_LINES, byLines, byRecords } from '../raw-lines.ts';
import { CARD_HEADER, cardLine, checkAll, chunksOf } from '../support.ts';
import type { Charset } from '../../../src/csv/read/open-plain-text.ts';
import { readRawRows } from '../../../src/csv/read/read-raw-lines.ts';
import type { RawRow } from '../../../src/rows/rows.ts';
import { behindLineEnd, findLineEnd, readBlocks } from '../../../src/csv/read/read-blocks.ts';
import { byteCounter } from '../../../src/csv/check/check-payment-file.ts';

/** read-raw-lines.soak.test.ts tries more and longer lines. */
describe('readRawLines', () => {
  it('finds the rows that readRecords finds, whatever the bytes', async () => {
    await tryProperty(ANY_LINES, 200);
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

async function readAll(text: string, headerLine: number | null, charset: Charset = 'utf-8'): Promise<RawRow[]> {
  const rows: RawRow[] = [];
  for await (const group of readRawRows(chunksOf(text, 100), { charset, headerLine })) rows.push(...group);
  return rows;
}

describe('readRawRows', () => {
  it('gives the rows of the check again: same order, lines and cells, without the header', async () => {
    const lines = Array.from({ length: 1_200 }, (_, index) => cardLine({ invoice: `N-${index}`, city: '"Troy, NY"' }));
    const text = `\n${CARD_HEADER}\r\n\r\n${lines.join('\r\n')}\r\n`;
    const checked = await checkAll(text);
    const rows = await readAll(text, checked.headerLine);
    expect(checked).toMatchObject({ verdict: 'accept', headerLine: 2, records: 1_200 });
    expect(rows).toEqual(checked.rows.map((row) => row.raw));
    expect(rows[0]?.line).toBe(4);
  });

  it('keeps the place of lines that cannot be read', async () => {
    const text = `${cardLine()}\n${cardLine({ city: 'Tr"oy' })}\n${cardLine()}\n`;
    const rows = await readAll(text, null);
    expect(rows.map((row) => [row.line, row.cells.length])).toEqual([
      [1, 12],
      [2, 0],
      [3, 12],
    ]);
    expect(Object.keys(rows[1]!)).toEqual(['line', 'cells']);
  });

  it('has no rows for a file of a header', async () => {
    expect(await readAll(`${CARD_HEADER}\n`, 1)).toEqual([]);
  });
});

async function read(text: string, size?: number): Promise<string[]> {
  const blocks: string[] = [];
  let isOver = false;
  for await (const { bytes, isLast } of readBlocks(chunksOf(text, size))) {
    expect(isOver).toBe(false);
    isOver = isLast;
    blocks.push(bytes.toString('latin1'));
  }
  expect(isOver).toBe(true);
  return blocks;
}

const LINE = `${'x'.repeat(99)}\n`;

describe('readBlocks', () => {
  it('gives a short file whole, and an empty one too', async () => {
    expect(await read('a\nb')).toEqual(['a\nb']);
    expect(await read('')).toEqual(['']);
  });

  it.each(['\n', '\r\n', '\r'])('cuts a long file behind ends of lines %j, and loses nothing', async (end) => {
    const text = LINE.replace('\n', end).repeat(4_000);
    const blocks = await read(text);
    expect(blocks.length).toBeGreaterThan(2);
    expect(blocks.join('')).toBe(text);
    for (const block of blocks) expect(block.endsWith(end)).toBe(true);
  });

  it('cuts at the same places in whatever pieces the bytes come', async () => {
    const text = Array.from({ length: 9_000 }, (_, index) => `${index},${'y'.repeat(index % 97)}`).join('\r\n');
    const blocks = await read(text);
    for (const size of [7, 1_000, 131_072, 1_000_000]) expect(await read(text, size)).toEqual(blocks);
  });

  it.each([131_070, 131_071, 131_072])('never parts a CR from its LF (%i bytes before them)', async (count) => {
    const text = `${'x'.repeat(count)}\r\nlast\r\n`;
    const blocks = await read(text, 65_536);
    expect(blocks.filter((block) => block.startsWith('\n'))).toEqual([]);
    expect(blocks.join('').replace(/x+/, '')).toBe('\r\nlast\r\n');
  });

  it('keeps the beginning of an endless line, its end, and the lines behind it', async () => {
    const blocks = await read(`a\n${'x'.repeat(700_000)}\nb\n${'y'.repeat(300_000)}\r\n`, 65_536);
    const lines = blocks.join('').split('\n');
    expect(lines.map((line) => line.replace(/(.)\1+/, '$1*'))).toEqual(['a', 'x*', 'b', 'y*\r', '']);
    for (const long of [lines[1]!, lines[3]!]) expect(long.length).toBeGreaterThan(3 * 16_384);
  });
});

describe('behindLineEnd', () => {
  it.each([
    ['a\nb', 2],
    ['a\r\nb', 3],
    ['a\rb', 2],
    ['a\r', 2],
    ['a\n\nb', 2],
  ])('in %j is at %i', (text, behind) => {
    expect(behindLineEnd(Buffer.from(text), 1)).toBe(behind);
  });
});

describe('findLineEnd', () => {
  it.each([
    ['ab\ncd', 0, 2],
    ['ab\rcd', 0, 2],
    ['ab\ncd', 3, 5],
    ['', 0, 0],
  ])('in %j from %i is at %i', (text, from, end) => {
    expect(findLineEnd(Buffer.from(text), from)).toBe(end);
  });
});

describe('byteCounter', () => {
  it('passes all bytes on, in pieces of at most 64 KiB, and tells their number and hash', async () => {
    const bytes = Buffer.alloc(200_000, 'abcdefg');
    const counter = byteCounter();
    const pieces: Uint8Array[] = [];
    for await (const piece of counter.pass(chunksOf(bytes, 150_000))) pieces.push(piece);
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBe(65_536);
    expect(counter.size()).toBe(200_000);
    expect(counter.sha256()).toBe(createHash('sha256').update(bytes).digest('hex'));
  });
});
