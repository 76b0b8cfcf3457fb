import { describe, expect, it } from 'vitest';
import { BLOCK_BYTES } from '../../src/csv/read-blocks.ts';
import { tryProperty } from '../gateway/support/seeds.ts';
import { ANY_LINES, byLines, byRecords, expectSameRows } from './raw-lines.ts';
import { CARD_HEADER, cardLine } from './support.ts';

/** read-raw-lines.soak.test.ts tries more bytes. */
describe('readRawLines', () => {
  it('finds the rows that readRecords finds, whatever the bytes', async () => {
    await tryProperty(ANY_LINES, 200);
  });

  it.each([
    ['a line as long as is allowed', 'x'.repeat(16_384)],
    ['one more', 'x'.repeat(16_385)],
    ['a long line of characters of two bytes', 'é'.repeat(16_384)],
    ['a line longer than a block', 'x'.repeat(BLOCK_BYTES + 10)],
    ['a line of three blocks', 'x,'.repeat(BLOCK_BYTES * 1.5)],
    ['a line that ends a block exactly', 'x'.repeat(BLOCK_BYTES - 4)],
    ['one that leaves a block its CR', 'x'.repeat(BLOCK_BYTES - 3)],
    ['many lines with lone CRs', `${'a,b\r'.repeat(35_000)}c`],
    ['many plain lines', 'a,b,c\r\n'.repeat(20_000)],
    ['many quoted lines', '"a",b,c\r\n'.repeat(20_000)],
    ['many blank lines', '\r\n'.repeat(70_000)],
  ])('finds the rows that readRecords finds: %s', async (_what, line) => {
    for (const ends of ['\r\n', '\n', '\r']) {
      const bytes = Buffer.from(`a${ends}${line}${ends}b,c${ends}\x1a`);
      const options = { charset: 'utf-8', headerLine: null } as const;
      await expectSameRows(bytes, options);
      const open = Buffer.from(`a${ends}${line}`);
      await expectSameRows(open, options);
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
