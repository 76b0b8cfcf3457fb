import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readBytes } from './support/read-workbook.ts';

/** Reads a workbook that another program has written. */
async function read(name: string) {
  const { rows, cells, faults } = await readBytes(
    readFileSync(new URL(`made-elsewhere/${name}.xlsx`, import.meta.url)),
  );
  return {
    cells,
    types: rows.map(({ typed }) => typed?.types.join(' ')),
    formulas: rows.map(({ typed }) => typed?.formulas),
    hidden: rows.flatMap(({ line, typed }) => (typed?.isHidden ? [line] : [])),
    doubts: faults.map(({ detail }) => detail),
  };
}

const TITLES = ['Date', 'Num', 'Amount'];

it('reads a workbook of openpyxl: a filtered row, and a formula that was never calculated', async () => {
  const { cells, types, hidden, doubts } = await read('openpyxl');
  expect(cells).toEqual([TITLES, ['2026-06-15', '1001', '25.1'], ['2026-06-15 10:30:00', 'x', '']]);
  expect(types.slice(1)).toEqual(['date number number', 'date text unsaved']);
  expect([hidden, doubts]).toEqual([[3], []]);
});

it('reads a workbook of XlsxWriter: days from 1904, a formula that fills two cells, a hidden column', async () => {
  const { cells, formulas, doubts } = await read('xlsxwriter');
  expect(cells).toEqual([TITLES, ['2026-06-15', 'é & <b>', '25.1'], ['5', '', ''], ['0', '', '']]);
  expect([formulas, doubts]).toEqual([[[], [], [0], [0]], ['column B is hidden']]);
});

it('reads a workbook of ExcelJS: merged cells, fonts within a text, a saved sum in a hidden row', async () => {
  const { cells, types, formulas, hidden, doubts } = await read('exceljs');
  expect(cells).toEqual([
    ['Acme', '', ''],
    TITLES,
    ['2026-06-15', '1001', '25.1'],
    ['TOTAL', '', '25.1'],
    ['Byron', 'é x', 'TRUE'],
  ]);
  expect([types[2], formulas[3], hidden]).toEqual(['date number number', [2], [4]]);
  expect(doubts).toEqual(['column B is hidden', 'cells A1:C1 are merged']);
});
