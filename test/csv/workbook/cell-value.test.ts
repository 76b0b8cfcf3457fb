import { describe, expect, it } from 'vitest';
import { type MadeCell, type MadeWorkbook, STYLE, styled } from './support/make-workbook.ts';
import { readMade } from './support/read-workbook.ts';

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
