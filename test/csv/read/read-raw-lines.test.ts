import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { tryProperty } from '../../support/random.ts';
import { ANY_LINES, byLines, byRecords, CARD_HEADER, cardLine, checkAll, chunksOf } from '../support.ts';
import { type Charset, TELLING_BYTES, tellKind } from '../../../src/csv/read/open-plain-text.ts';
import { readRawRows } from '../../../src/csv/read/read-raw-lines.ts';
import type { RawRow } from '../../../src/rows/rows.ts';
import { behindLineEnd, findLineEnd, readBlocks } from '../../../src/csv/read/read-blocks.ts';
import { byteCounter } from '../../../src/csv/check/check-payment-file.ts';
import { achRow, cardRow, codeRow, lines } from '../../support/payment-rows.ts';

/** ../compare/compare-file.soak.test.ts tries more and longer lines. */
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

describe('tellKind', () => {
  const tar = Buffer.alloc(1_024);
  tar.write('june.csv');
  tar.write('ustar', 257);

  function zip(firstName: string): Buffer {
    return Buffer.concat([Buffer.from('504b030414000600', 'hex'), Buffer.alloc(22), Buffer.from(firstName)]);
  }

  it.each([
    ['an Excel workbook or other Office file (.xlsx)', zip('[Content_Types].xml')],
    ['an Excel workbook or other Office file (.xlsx)', zip('xl/workbook.xml')],
    ['an OpenDocument file (.ods)', zip('mimetypeapplication/vnd.oasis.opendocument.spreadsheet')],
    ['a ZIP archive', zip('june.csv')],
    ['an Excel workbook or other Office file of the former kind (.xls)', Buffer.from('d0cf11e0a1b11ae10000', 'hex')],
    ['a gzip archive', gzipSync('a,b\n')],
    ['a bzip2 archive', Buffer.from('425a683931415926535900', 'hex')],
    ['an xz archive', Buffer.from('fd377a585a0000', 'hex')],
    ['a Zstandard archive', Buffer.from('28b52ffd0458210000', 'hex')],
    ['a 7-Zip archive', Buffer.from('377abcaf271c0004', 'hex')],
    ['a tar archive', tar],
    ['a PDF', Buffer.from('%PDF-1.7\n%')],
    ['an image', Buffer.from('89504e470d0a1a0a', 'hex')],
    ['an image', Buffer.from('ffd8ffe000104a464946', 'hex')],
    ['an HTML table or page', Buffer.from('\ufeff\r\n<TABLE border=1>\n<tr>')],
    ['an HTML table or page', Buffer.from('<!DOCTYPE html>\n')],
    ['an HTML table or page', Buffer.from('\ufeff<html>', 'utf16le')],
    ['a text in UTF-16 without a byte order mark', Buffer.from('Date,Invoice\n', 'utf16le')],
    ['a text in UTF-16 without a byte order mark', Buffer.from('Date,Invoice\n', 'utf16le').swap16()],
    ['an XML file', Buffer.from('<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>')],
    ['a text of a word processor (.rtf)', Buffer.from('{\\rtf1\\ansi')],
    ['an encrypted message, whose name must end in .pgp, .gpg or .asc', Buffer.from('-----BEGIN PGP MESSAGE-----\n')],
  ])('knows %s', (is, head) => {
    expect(tellKind(head)).toBe(is);
  });

  it.each([
    '',
    lines([cardRow(1)]),
    'PK,1,2\n',
    'PK-1001,A1,5.00,\n',
    'BZh9001,A1,5.00,\n',
    '%PD',
    '%PDF-1.7,A1,5.00,\n',
    'GIF89a,A1,5.00,\n',
    'II*1,A1,5.00,\n',
    '<Ada>,A1,5.00,\n',
    'tabled,A1,5.00,\n',
    `${codeRow(1)}\n`.padEnd(257, 'x').concat('ustar,A1,5.00,\n'),
  ])('takes %j for a text', (text) => {
    expect(tellKind(Buffer.from(text))).toBeUndefined();
  });

  it('takes no file of payments for anything else, in any character set', () => {
    const ROW = fc.constantFrom(cardRow(1), achRow(2), codeRow(3), 'Invoice #,Customer Code,Amount,Comment');
    const UNIT = fc.constantFrom(...'PK%DFGIF89aBZh7z<>{}Iust ar-17éÿ½');
    const CELL = fc.string({ unit: UNIT, minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(
        CELL,
        fc.array(ROW, { minLength: 1 }),
        fc.constantFrom('utf8', 'latin1', 'utf16le'),
        (cell, rows, encoding) => {
          const text = lines([`${cell},${rows[0]}`, ...rows]);
          const mark = encoding === 'utf16le' ? '\ufeff' : '';
          expect(tellKind(Buffer.from(mark + text, encoding))).toBeUndefined();
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('looks at no more than the first bytes, and takes the samples for texts', async () => {
    expect(tellKind(Buffer.concat([Buffer.alloc(TELLING_BYTES, 'a'), tar]))).toBeUndefined();
    const folder = new URL('../../../samples/card/', import.meta.url);
    for (const name of await readdir(folder)) expect(tellKind(await readFile(new URL(name, folder)))).toBeUndefined();
  });
});
