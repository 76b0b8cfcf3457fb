import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SourceRow } from '../../../src/csv/profile/read/text-rows.ts';
import { typedCell, type WorkbookCell, writeWorkbook } from '../../../src/csv/workbook/write-workbook.ts';
import { type MadeCell, type MadeWorkbook, STYLE, styled } from './support/make-workbook.ts';
import { readBytes, readMade } from './support/read-workbook.ts';

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

/** Reads one cell, in a row of its own. */
async function readCell(cell: MadeCell, book: Partial<MadeWorkbook> = {}) {
  const { rows, faults } = await readMade({ rows: [[cell]], ...book }, { width: 1 });
  expect(faults).toEqual([]);
  const [row] = rows;
  return { text: row?.cells[0], type: row?.typed?.types[0], formulas: row?.typed?.formulas, fault: row?.fault };
}

describe('a text', () => {
  it('is the same whether it is shared or stands in the cell', async () => {
    const rows = [['Grâce & Co', 'a<b', ' 00123 ']];
    for (const isShared of [true, false]) expect((await readMade({ rows, isShared })).cells).toEqual(rows);
  });

  it('is joined from its fonts, without the reading aid', async () => {
    const shared =
      '<sst><si><r><t>By</t></r><r><rPr/><t xml:space="preserve">ron </t></r><rPh><t>aid</t></rPh></si></sst>';
    const cell = { xml: '<c r="@" t="s"><v>0</v></c>' };
    expect(await readCell(cell, { parts: { 'xl/sharedStrings.xml': shared } })).toMatchObject({
      text: 'Byron ',
      type: 'text',
    });
  });

  it('has a blank for each line end and tab, however it is written', async () => {
    expect(await readCell('1 Mill Lane\nTroy_x000D_\n\tNY')).toMatchObject({ text: '1 Mill Lane Troy  NY' });
  });

  it('of control characters makes its row unreadable, and names the cell', async () => {
    const { rows } = await readMade({ rows: [['a', 'bell_x0007_']] });
    expect(rows).toEqual([{ line: 1, span: 1, cells: [], fault: { code: 'CONTROL_CHARACTER', detail: 'cell B1' } }]);
  });

  it('longer than any payment makes its row unreadable', async () => {
    expect((await readCell('x'.repeat(20_000))).fault).toEqual({ code: 'LINE_TOO_LONG' });
    expect((await readCell('x'.repeat(20_000), { isShared: true })).fault).toEqual({ code: 'LINE_TOO_LONG' });
  });

  it('that is yes or no is a word', async () => {
    expect(await readCell({ xml: '<c r="@" t="b"><v>1</v></c>' })).toMatchObject({ text: 'TRUE', type: 'text' });
  });
});

describe('a number', () => {
  it.each([
    ['25', '25'],
    ['-0', '0'],
    ['25.100000000000001', '25.1'],
    ['1.2E3', '1200'],
    ['25.005', '25.005'],
    ['0.30000000000000004', '0.30000000000000004'],
    ['1.5E-7', '0.00000015'],
    ['-2E-9', '-0.000000002'],
    ['999999999999999', '999999999999999'],
  ])('%s is the shortest decimal of its double: %s', async (value, text) => {
    expect(await readCell(styled(value, STYLE.money))).toMatchObject({ text, type: 'number' });
  });

  it.each(['4222222222222220', '4.2222222222222202E+15', '1E21', '-1E300'])('%s has lost digits', async (value) => {
    expect(await readCell(styled(value, STYLE.plain))).toMatchObject({ type: 'long' });
  });

  it('that is shown with zeros in front is told apart', async () => {
    expect(await readCell(styled(501, STYLE.padded))).toMatchObject({ text: '501', type: 'padded' });
  });

  it.each(['0x10', 'Infinity', '1e999', '1,5'])('written %s refuses the file', async (value) => {
    expect((await readMade({ rows: [[styled(value, 0)]] })).faults[0]?.detail).toBe('cell A1 has no number');
  });
});

describe('a date', () => {
  it.each([
    [46_188, STYLE.date, '2026-06-15'],
    [46_188, STYLE.ownDate, '2026-06-15'],
    [46_188.4375, STYLE.time, '2026-06-15 10:30:00'],
    [46_188.999_999_999, STYLE.date, '2026-06-15 23:59:59'],
    [61, STYLE.date, '1900-03-01'],
  ])('%d is the day %s', async (value, style, text) => {
    expect(await readCell(styled(value, style))).toMatchObject({ text, type: 'date' });
  });

  it('is counted from 1904 where the workbook says so', async () => {
    const { text } = await readCell(styled(44_726, STYLE.date), { is1904: true });
    expect(text).toBe('2026-06-15');
  });

  it.each([0.4375, 60, -1, 2_958_466])('%d is no day, so it stays a number', async (value) => {
    expect(await readCell(styled(value, STYLE.date))).toMatchObject({ type: 'number' });
  });

  it('may be written as text of the standard', async () => {
    const cell = (value: string) => ({ xml: `<c r="@" t="d"><v>${value}</v></c>` });
    expect(await readCell(cell('2026-06-15T00:00:00Z'))).toMatchObject({ text: '2026-06-15', type: 'date' });
    expect(await readCell(cell('2026-06-15T10:30:00.000'))).toMatchObject({ text: '2026-06-15 10:30:00' });
    expect((await readMade({ rows: [[cell('15.06.2026')]] })).faults[0]?.detail).toBe(
      'cell A1 has a date in an unknown form',
    );
  });
});

describe('a formula', () => {
  it('is noted beside its saved result', async () => {
    expect(await readCell({ xml: '<c r="@"><f>1+1</f><v>2</v></c>' })).toMatchObject({
      text: '2',
      type: 'number',
      formulas: [0],
    });
    expect(await readCell({ xml: '<c r="@" t="str"><f>A2</f><v>due</v></c>' })).toMatchObject({
      text: 'due',
      formulas: [0],
    });
  });

  it('without a saved result is no empty cell', async () => {
    expect(await readCell({ xml: '<c r="@"><f>1+1</f><v></v></c>' })).toMatchObject({ text: '', type: 'unsaved' });
    expect(await readCell({ xml: '<c r="@"><f t="shared" si="0"/></c>' })).toMatchObject({ text: '', type: 'unsaved' });
  });

  it('fills other cells, which are its results too', async () => {
    const anchor = { xml: '<c r="@"><f t="array" ref="A1:B2">X1:Y2</f><v>1</v></c>' };
    const { rows } = await readMade({
      rows: [
        [anchor, 2, 3],
        [4, 5, 6],
        [7, 8, 9],
      ],
    });
    expect(rows.map(({ typed }) => typed?.formulas)).toEqual([[0, 1], [0, 1], []]);
  });

  it('that failed is an error', async () => {
    const cell = { xml: '<c r="@" t="e"><f>1/0</f><v>#DIV/0!</v></c>' };
    expect(await readCell(cell)).toMatchObject({ text: '#DIV/0!', type: 'error' });
  });
});
