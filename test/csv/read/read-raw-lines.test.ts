import { describe, expect, it } from 'vitest';
import { tryProperty } from '../../gateway/support/seeds.ts';
import { ANY_LINES, byLines, byRecords } from '../raw-lines.ts';
import { CARD_HEADER, cardLine } from '../support.ts';

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
