import { describe, expect, it } from 'vitest';
import type { Charset } from '../../../src/csv/read/open-plain-text.ts';
import { readRawRows } from '../../../src/csv/read/read-raw-lines.ts';
import type { RawRow } from '../../../src/rows/rows.ts';
import { CARD_HEADER, cardLine, checkAll, chunksOf } from '../support.ts';

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
