import { describe, expect, it } from 'vitest';
import { readSheets } from '../../../src/csv/workbook/workbook-rows.ts';
import { type MadeCell, type MadeWorkbook, makeWorkbook } from './support/make-workbook.ts';
import { readBytes, readMade } from './support/read-workbook.ts';
import { readFileSync } from 'node:fs';

async function refusal(book: MadeWorkbook | Buffer, form?: { sheet?: string }): Promise<string | undefined> {
  const { rows, faults } = await (Buffer.isBuffer(book) ? readBytes(book, form) : readMade(book, form));
  expect(rows).toEqual([]);
  expect(faults.map(({ code }) => code)).toEqual(['WORKBOOK_REFUSED']);
  return faults[0]?.detail;
}

const ONE_ROW = [['a', 1, 'b']];

describe('rows of a workbook', () => {
  it('are filled up to the width of the titles, with blank rows where the sheet has none', async () => {
    const rows = [['Invoice', 'Amount', 'Name'], [], ['R-1', 25], [undefined, undefined, 'Ada']];
    const { cells, shape } = await readMade({ rows });
    expect(cells).toEqual([
      ['Invoice', 'Amount', 'Name'],
      ['', '', ''],
      ['R-1', '25', ''],
      ['', '', 'Ada'],
    ]);
    expect(shape.physicalLines).toBe(4);
  });

  it('keep the numbers that the sheet gives them, also over a long gap', async () => {
    const sheet =
      '<worksheet><sheetData><row r="2"><c r="B2"><v>1</v></c></row><row r="5003"><c r="A5003"><v>2</v></c></row></sheetData></worksheet>';
    const { rows } = await readMade({ rows: [], parts: { 'xl/worksheets/sheet1.xml': sheet } });
    expect(rows.map(({ line }) => line)).toEqual(Array.from({ length: 5_003 }, (_, index) => index + 1));
    expect([rows[1]?.cells, rows[5_002]?.cells]).toEqual([
      ['', '1', ''],
      ['2', '', ''],
    ]);
  });

  it('end with the last row that holds anything', async () => {
    const empty: MadeCell = { xml: '<c r="@" s="1"/>' };
    const { cells } = await readMade({
      rows: [...ONE_ROW, [empty, empty, empty], ['', undefined, { xml: '<c r="@"><v/></c>' }], []],
    });
    expect(cells).toEqual([['a', '1', 'b']]);
  });

  it('have more cells than titles when the sheet does', async () => {
    expect((await readMade({ rows: [['a', 'b', 'c', 'd']] })).cells).toEqual([['a', 'b', 'c', 'd']]);
  });

  it('are those of the named sheet', async () => {
    const book = { rows: ONE_ROW, sheets: [['Dues'], ['Notes']] } as const;
    expect((await readMade(book)).cells).toEqual([['a', '1', 'b']]);
    expect((await readMade(book, { sheet: 'Notes' })).cells).toEqual([]);
  });

  it('may have names with prefixes, and no addresses', async () => {
    const sheet =
      '<x:worksheet xmlns:x="a"><x:sheetData><x:row><x:c/><x:c t="str"><x:v>b</x:v></x:c></x:row></x:sheetData></x:worksheet>';
    expect((await readMade({ rows: [], parts: { 'xl/worksheets/sheet1.xml': sheet } })).cells).toEqual([['', 'b', '']]);
  });

  it.each([
    ['before all others', 0],
    ['behind texts that fill its memory', 1_048_576 / 16_384],
  ])('may share an empty text %s', async (_, before) => {
    const texts = [...Array.from({ length: before }, () => randomText(16_384)), '', 'Ada'];
    const cells = `<c r="A1" t="s"><v>${before}</v></c><c r="B1" t="s"><v>${before + 1}</v></c>`;
    const parts = {
      'xl/sharedStrings.xml': `<sst>${texts.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`,
      'xl/worksheets/sheet1.xml': `<worksheet><sheetData><row r="1">${cells}</row></sheetData></worksheet>`,
    };
    expect((await readMade({ rows: [], parts })).cells).toEqual([['', 'Ada', '']]);
  });

  it('are not looked for in the anchors of buttons', async () => {
    const behind = '<controls><anchor><from><col>0</col><row>7</row></from></anchor></controls>';
    expect((await readMade({ rows: ONE_ROW, behind })).cells).toEqual([['a', '1', 'b']]);
  });
});

describe('what a workbook hides', () => {
  it('is told of rows', async () => {
    const rowAttributes = { 2: 'hidden="1"', 3: 'ht="0" customHeight="1"', 4: 'ht="15"' };
    const { rows } = await readMade({ rows: [['a'], ['b'], ['c'], ['d']], rowAttributes });
    expect(rows.map(({ typed }) => typed?.isHidden)).toEqual([false, true, true, false]);
  });

  it('is told of columns that hold anything', async () => {
    const before = '<cols><col min="2" max="3" hidden="1"/><col min="5" max="16384" width="0"/></cols>';
    const { faults } = await readMade({
      rows: [
        ['a', 'b', undefined, 'd'],
        [1, 2],
      ],
      before,
    });
    expect(faults).toEqual([{ code: 'WORKBOOK_DOUBT', line: 0, detail: 'column B is hidden' }]);
  });

  it('is told of the sheet itself', async () => {
    const { faults } = await readMade({ rows: ONE_ROW, sheets: [['Dues', 'veryHidden']] });
    expect(faults).toEqual([{ code: 'WORKBOOK_DOUBT', line: 0, detail: 'the sheet is hidden' }]);
  });

  it('is told of merged cells, of very many the first hundred', async () => {
    const merged = (count: number) =>
      `<mergeCells>${Array.from({ length: count }, (_, at) => `<mergeCell ref="A${at + 1}:C${at + 2}"/>`).join('')}</mergeCells>`;
    const one = await readMade({ rows: ONE_ROW, behind: merged(1) });
    expect(one.faults).toEqual([{ code: 'WORKBOOK_DOUBT', line: 2, detail: 'cells A1:C2 are merged' }]);
    const many = await readMade({ rows: ONE_ROW, behind: merged(150) });
    expect(many.faults).toHaveLength(101);
    expect(many.faults.at(-1)).toEqual({ code: 'WORKBOOK_DOUBT', line: 0, detail: '50 more merged places' });
  });
});

describe('a file is refused', () => {
  it('when it has no sheet of the name, with the names that it has', async () => {
    const sheets = [['Dues'], ['Card 4111111111111111']] as const;
    expect(await refusal({ rows: ONE_ROW, sheets }, { sheet: 'Due' })).toBe(
      'it has no sheet "Due"; it has "Dues", "Card ************1111"',
    );
  });

  it('when it is something else', async () => {
    const old = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]);
    const locked = Buffer.concat([old, Buffer.from('EncryptedPackage', 'utf16le')]);
    const text = 'it is a text file, such as CSV';
    expect(await refusal(Buffer.from('Invoice,Amount\n'))).toBe(text);
    expect(await refusal(Buffer.from('\ufeffInvoice,Amount\n', 'utf16le'))).toBe(text);
    expect(await refusal(Buffer.from('%PDF-1.7\n%'))).toBe('it is a PDF');
    expect(await refusal(Buffer.from([1, 2, 3, 0]))).toBe('it is no workbook of the kind .xlsx');
    expect(await refusal(Buffer.alloc(0))).toBe('it has no bytes');
    expect(await refusal(old)).toBe('it is of the former kind (.xls)');
    expect(await refusal(locked)).toBe('it is protected with a password');
    expect(await refusal({ rows: [], parts: { '_rels/.rels': '<Relationships/>' } })).toBe(
      'it is no workbook of the kind .xlsx',
    );
  });

  it('when it holds macros', async () => {
    expect(await refusal({ rows: ONE_ROW, parts: { 'xl/vbaProject.bin': 'x' } })).toBe('it holds macros');
    expect(await refusal({ rows: ONE_ROW, parts: { 'xl/macrosheets/sheet1.xml': '<a/>' } })).toBe('it holds macros');
  });

  it('when a part of it is packed too well, or is larger than it says', async () => {
    const bomb = `<worksheet>${' '.repeat(4_000_000)}</worksheet>`;
    const name = 'xl/worksheets/sheet1.xml';
    expect(await refusal({ rows: [], parts: { [name]: bomb } })).toBe(
      'a part of it unpacks to more than 100 times its size',
    );
    expect(await refusal({ rows: [], parts: { [name]: bomb }, flaw: { name, statedBytes: 1_000 } })).toBe(
      'it is damaged',
    );
    const flaw = { name, statedBytes: 3_000_000_000 };
    expect(await refusal({ rows: [], flaw })).toBe('a part of it unpacks to more than 2048 MiB');
  });

  it('when it has very many parts, or one twice', async () => {
    const many = Object.fromEntries(Array.from({ length: 2_001 }, (_, at) => [`xl/media/${at}.png`, '']));
    expect(await refusal({ rows: [], parts: many })).toBe('it has more than 2000 parts');
    expect(await refusal({ rows: [], parts: { 'xl/Workbook.xml': '<workbook/>' } })).toBe(
      'it has two parts of the same name',
    );
  });

  it('when a byte of it is wrong', async () => {
    const name = 'xl/workbook.xml';
    expect(await refusal({ rows: ONE_ROW, flaw: { name, statedCrc: 1 } })).toBe('it is damaged');
    expect(await refusal({ rows: ONE_ROW, flaw: { name, isEncrypted: true } })).toBe('it is protected with a password');
    expect(await refusal(makeWorkbook({ rows: ONE_ROW }).subarray(0, -30))).toBe('it is damaged');
  });

  it.each([
    [
      '<!DOCTYPE a [<!ENTITY x "y">]><worksheet>&x;</worksheet>',
      'its XML has a document type, which could name entities',
    ],
    ['<worksheet>&x;</worksheet>', 'it is damaged'],
    ['<worksheet><sheetData></worksheet>', 'it is damaged'],
    ['<a>'.repeat(100), 'its XML is nested too deep'],
    [`<a>${randomText(2_000_000)}</a>`, 'its XML has a text that is too long'],
    ['<worksheet><sheetData><row r="2"/><row r="2"/></sheetData></worksheet>', 'its rows are not in their order'],
    ['<worksheet><sheetData><row r="1048577"/></sheetData></worksheet>', 'its rows are not in their order'],
    [
      '<worksheet><sheetData><row r="1"><c r="B1"/><c r="A1"/></row></sheetData></worksheet>',
      'its cells are not in their order',
    ],
    ['<worksheet><sheetData><row r="1"><c r="A2"/></row></sheetData></worksheet>', 'its cells are not in their order'],
    [
      '<worksheet><sheetData><row r="1"><c r="XFE1"/></row></sheetData></worksheet>',
      'a cell has no place in the sheet',
    ],
    [
      '<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>7</v></c></row></sheetData></worksheet>',
      'cell A1 has no text',
    ],
  ])('when its sheet is wrong: %.40s', async (sheet, detail) => {
    expect(await refusal({ rows: [], parts: { 'xl/worksheets/sheet1.xml': sheet } })).toBe(detail);
  });

  it('when its text is not UTF-8', async () => {
    expect(
      await refusal({
        rows: [],
        parts: { 'xl/workbook.xml': Buffer.from('<a>\xe9</a>', 'latin1') as unknown as string },
      }),
    ).toBe('its XML is not UTF-8');
  });
});

/** Text that does not pack well. */
function randomText(length: number): string {
  let state = 7;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCharCode(97 + (state % 26));
  }).join('');
}

describe('the sheets of a sample', () => {
  it('are not read beyond a number of cells, each row as wide as the widest', async () => {
    const bytes = makeWorkbook({ rows: [['a'], ['b'], ['c', 'd', 'e', 'f']] });
    expect(await readSheets(bytes, 12)).toMatchObject([{ name: 'Dues', rows: [{}, {}, {}] }]);
    expect(await readSheets(bytes, 11)).toBe('it has more than 11 cells, too many to look at');
  });
});

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
