import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SourceRow } from '../../../src/csv/profile/read/text-rows.ts';
import { typedCell, type WorkbookCell, writeWorkbook } from '../../../src/csv/workbook/write-workbook.ts';
import { readBytes } from './support/read-workbook.ts';

async function* each<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}

function write(rows: readonly (readonly WorkbookCell[])[]): Promise<Buffer> {
  return buffer(writeWorkbook('Result', each(rows)));
}

async function readBack(bytes: Buffer): Promise<readonly SourceRow[]> {
  const { rows, faults } = await readBytes(bytes, { sheet: 'Result', width: 4 });
  expect(faults).toEqual([]);
  return rows;
}

describe('a written workbook', () => {
  it('holds texts as texts and decimals as numbers', async () => {
    const [row] = await readBack(await write([['00123', { decimal: '-1200.50' }, '', '=1+1']]));
    expect(row?.cells).toEqual(['00123', '-1200.5', '', '=1+1']);
    expect(row?.typed).toEqual({ types: ['text', 'number', 'empty', 'text'], formulas: [], isHidden: false });
  });

  it('holds dates as dates', async () => {
    const cells = ['06/15/2026', '2026-06-15', '02/30/2026', '12/35'].map((text) => typedCell(text, 'date'));
    const [row] = await readBack(await write([cells]));
    expect(row?.cells).toEqual(['2026-06-15', '2026-06-15', '02/30/2026', '12/35']);
    expect(row?.typed?.types).toEqual(['date', 'date', 'text', 'text']);
  });

  it('holds what is no plain amount as the text that it was', async () => {
    const cells = ['-1200.5', '1,200.00', '25.005', '=25'].map((text) => typedCell(text, 'number'));
    const [row] = await readBack(await write([cells]));
    expect(row?.cells).toEqual(['-1200.5', '1,200.00', '25.005', '=25']);
    expect(row?.typed?.types).toEqual(['number', 'text', 'text', 'text']);
  });

  it('holds any text that the reader takes, to the letter', async () => {
    const cell = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 20 })
      .map((text) => text.replace(/[\0-\x1f\x7f-\x9f\u2028\u2029\ufffd]/g, '_x0041_'));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(cell, { minLength: 4, maxLength: 4 }), { maxLength: 5 }), async (rows) => {
        expect((await readBack(await write(rows))).map(({ cells }) => cells)).toEqual(rows);
      }),
      { numRuns: 50 },
    );
  });

  it('has a control character in the form of its format', async () => {
    const [row] = await readBack(await write([['a\u0007']]));
    expect(row?.fault?.code).toBe('CONTROL_CHARACTER');
  });

  it('has equal bytes for equal rows', async () => {
    const rows = [['a', { decimal: '1.00' }]] as const;
    expect((await write(rows)).equals(await write(rows))).toBe(true);
  });

  it('fails when its rows fail', async () => {
    async function* broken(): AsyncGenerator<WorkbookCell[]> {
      yield ['a'];
      throw new Error('the rows broke');
    }
    await expect(buffer(writeWorkbook('Result', broken()))).rejects.toThrow('the rows broke');
  });
});
