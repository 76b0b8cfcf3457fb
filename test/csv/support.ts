import { Readable } from 'node:stream';
import { expect } from 'vitest';
import fc from 'fast-check';
import type { CheckedRow, CheckRules, FileCheck } from '../../src/csv/check/check-payment-file.ts';
import type { CellRule } from '../../src/csv/rules/text.ts';
import type { Fault, RawRow } from '../../src/rows/rows.ts';
import { checkByBytes, checkByReference, outcomeOf, readRecords } from './compare/check-by-bytes.ts';
import type { Charset } from '../../src/csv/read/open-plain-text.ts';
import { leaveOutReason } from '../../src/csv/check/find-header.ts';
import { cellsOf, type RawLineOptions, readRawLines } from '../../src/csv/read/read-raw-lines.ts';
import { newFileShape } from '../../src/csv/read/split-lines.ts';
import { DECLINED, newRowScan, type RowScan } from '../../src/csv/scan/row-scan.ts';

export const VISA = '4222222222222220';
export const OTHER_VISA = '4111111111111111';
export const ACCOUNT = '02100002100000000000000001';
export const CARD_HEADER =
  'Date,Invoice #,First Name,Last Name,Street,City,State,Zip Code,Amount,MOP,Credit Card #,Expiry';

type Settings = Partial<Omit<CheckRules, 'folder'>> & { folder?: Partial<CheckRules['folder']> };

export function rulesWith({ folder, ...settings }: Settings = {}): CheckRules {
  return {
    operation: 'card',
    account: { server: 'NA', country: 'US', currency: 'USD' },
    today: '2026-06-15',
    ...settings,
    folder: {
      header: 'auto',
      charset: 'utf-8',
      finalNewline: 'warn',
      textCommas: 'replace',
      badRows: { policy: 'withhold', maxPercent: 10 },
      duplicateRows: 'hold',
      sameTotals: 'hold',
      chargedBefore: 'hold',
      routingCheck: false,
      ...folder,
    },
  };
}

const CARD_CELLS = {
  date: '06/15/2026',
  invoice: 'INV-1',
  firstName: 'Ada',
  lastName: 'Byron',
  street: '1 Some Road',
  city: 'Troy',
  state: 'NY',
  zipCode: '12180',
  amount: '25.00',
  mop: 'VISA',
  cardNumber: VISA,
  expiry: '1228',
};
const ACH_CELLS = {
  invoice: 'INV-1',
  firstName: 'Ada',
  lastName: 'Byron',
  accountType: 'CHECKING',
  accountNumber: ACCOUNT,
  amount: '5.00',
  comment: 'Gift',
};

/** Returns a valid row of layout `card` with the given cells, unquoted. */
export function cardLine(cells: Partial<typeof CARD_CELLS> = {}): string {
  return Object.values({ ...CARD_CELLS, ...cells }).join(',');
}

/** Returns a valid row of layout `ach` with the given cells. */
export function achLine(cells: Partial<typeof ACH_CELLS> = {}): string {
  return Object.values({ ...ACH_CELLS, ...cells }).join(',');
}

/** Returns valid card rows with different invoices. */
export function cardLines(count: number): string[] {
  return Array.from({ length: count }, (_, index) => cardLine({ invoice: `N-${index + 1}` }));
}

export async function* chunksOf(bytes: Uint8Array | string, size = 65_536): AsyncGenerator<Uint8Array> {
  const buffer = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  for (let start = 0; start < buffer.length; start += size) yield buffer.subarray(start, start + size);
}

export type Checked = FileCheck & { rows: readonly CheckedRow[]; rowFaults: Fault[]; codes: string[] };

/**
 * Checks a whole file as paydrop does and by the reference, and requires the same result. `codes` holds those of all
 * faults, rows first.
 */
export async function checkAll(
  bytes: Uint8Array | string | AsyncIterable<Uint8Array>,
  settings: Settings = {},
): Promise<Checked> {
  const source = typeof bytes === 'string' || bytes instanceof Uint8Array ? chunksOf(bytes) : bytes;
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(piece);
  const rules = rulesWith(settings);
  // Groups of one line give the layout early, so short files are scanned as bytes too.
  const early = outcomeOf(await checkByReference(Readable.from(pieces), rules, 1));
  expect(await checkByBytes(Readable.from(pieces), rules, 1)).toEqual(early);
  const { rows, check } = await checkByReference(Readable.from(pieces), rules);
  expect(await checkByBytes(Readable.from(pieces), rules)).toEqual(outcomeOf({ rows, check }));
  const rowFaults = rows.flatMap((row) => row.faults);
  return { ...check, rows, rowFaults, codes: [...rowFaults, ...check.faults].map((fault) => fault.code) };
}

/** Returns what a rule makes of a cell: the codes it reports, then its canonical form, if any. */
export function apply(rule: CellRule, cell: string): string {
  const codes: string[] = [];
  const value = rule(cell, (code) => codes.push(code));
  return [...codes, ...(value === '' ? [] : [value])].join(' ');
}

const CANADIAN = `06/15/2026,INV-1,Ada Byron,5.00,VISA,${VISA},1228`;

const LINES = [
  cardLine(),
  cardLine({ city: '"Zürich, ""ZH"""' }),
  cardLine({ invoice: 'N-2', street: '5" Road' }),
  cardLine({ invoice: 'N-3', expiry: '"1228' }),
  cardLine({ invoice: 'N-4', amount: '-5' }),
  cardLine({ invoice: 'N-5', cardNumber: '="4222222222222220"' }),
  cardLine({ invoice: 'N-6', state: '\u0000' }),
  `${cardLine()},123`,
  CARD_HEADER,
  CANADIAN,
  '',
  '  ',
  '\u001a',
  'x'.repeat(17_000),
  '山,👍',
];

const someLines = fc.array(fc.tuple(fc.constantFrom(...LINES), fc.constantFrom('\n', '\r\n', '\r', '')), {
  maxLength: 12,
});

const someEncoding = fc.constantFrom<(text: string) => Buffer>(
  (text) => Buffer.from(text),
  (text) => Buffer.from(`\ufeff${text}`),
  (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  (text) => Buffer.from(text, 'latin1'),
);

/**
 * Returns the property that a check gives the same result, however its bytes are cut.
 * @param mostPieces of a file; long lines get longer pieces, because checking byte by byte takes seconds
 */
export function cutBytes(mostPieces: number) {
  return fc.asyncProperty(
    someLines,
    someEncoding,
    fc.constantFrom(1, 2, 3, 7, 64, 1_000),
    async (lines, encode, length) => {
      const bytes = encode(lines.map(([line, end]) => line + end).join(''));
      const size = Math.max(length, Math.ceil(bytes.length / mostPieces));
      expect(await checkAll(chunksOf(bytes, size))).toEqual(await checkAll(chunksOf(bytes, bytes.length + 1)));
    },
  );
}

/** Returns the rows as found by the reader that the check uses too. */
export async function byRecords(bytes: Buffer, { charset, headerLine, operation }: RawLineOptions): Promise<RawRow[]> {
  const records: RawRow[] = [];
  for await (const group of readRecords(chunksOf(bytes), charset, newFileShape())) {
    records.push(...group.map(({ line, cells }) => ({ line, cells })));
  }
  const header = records.find((record) => record.line === headerLine);
  const data = records.filter((record) => record !== header);
  return operation ? [...leaveOutReason(operation, header, data)] : data;
}

export async function byLines(bytes: Buffer, options: RawLineOptions, chunkBytes = 65_536) {
  const rows: RawRow[] = [];
  let plain = 0;
  for await (const found of readRawLines(chunksOf(bytes, chunkBytes), options)) {
    found.lines.forEach((line, place) => rows.push({ line, cells: cellsOf(found, place) }));
    plain += found.lines.length - found.cells.size;
  }
  return { rows, plain };
}

/** Requires both readers to find the same. Comparing as text takes a tenth of the time. */
export async function expectSameRows(bytes: Buffer, options: RawLineOptions, chunkBytes?: number): Promise<void> {
  const { rows } = await byLines(bytes, options, chunkBytes);
  const expected = await byRecords(bytes, options);
  if (JSON.stringify(rows) !== JSON.stringify(expected)) expect(rows).toEqual(expected);
}

const CHARSETS: readonly Charset[] = ['utf-8', 'iso-8859-1', 'windows-1252'];
const BYTES = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Pieces of lines: everything that a step of the reference looks for. */
const QUOTED = ['"', '""', '="1"', '"a,b"', ',"a, b",', ',"",', ',"-1"', ', "a" ,'];
const ODD = '\x00 \x1a \x7f \x80 \x81 \xa0 \xc3\xa9 \xc3 \xff \xe2\x80\xa8 \xef\xbf\xbd \xef\xbb\xbf'.split(' ');
const PIECES = ['a', 'INV-7', ',', ',', '25.00', ' ', '\t', 'x'.repeat(99), ...QUOTED, ...ODD].map(BYTES);
const LINE_ENDS = ['\n', '\n', '\r\n', '\r\n', '\r', '\n\n', '\n\x1a\n', '\r\r\n', ''].map(BYTES);
const STARTS = ['', '', '', '\xef\xbb\xbf', '\xff\xfe', '\xfe\xff', '\xef\xbb', '\xff'].map(BYTES);

const FILE = fc
  .tuple(
    fc.constantFrom(...STARTS),
    fc.array(fc.tuple(fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }), fc.constantFrom(...LINE_ENDS)), {
      maxLength: 12,
    }),
    fc.array(fc.constantFrom(...PIECES), { maxLength: 3 }),
  )
  .map(([start, lines, rest]) => Buffer.concat([start, ...lines.flatMap(([cells, end]) => [...cells, end]), ...rest]));

/** Property that the rows are the same for any bytes, in any pieces. */
export const ANY_LINES = fc.asyncProperty(
  FILE,
  fc.constantFrom(...CHARSETS),
  fc.option(fc.integer({ min: 1, max: 4 })),
  fc.integer({ min: 1, max: 40 }),
  async (bytes, charset, headerLine, chunkBytes) => {
    await expectSameRows(bytes, { charset, headerLine }, chunkBytes);
  },
);

export type ScannedCell = { readonly sent: string; readonly rest: string; readonly scan: RowScan };

/**
 * Scans the cell at the start of a text.
 * @returns what is sent for it and what follows it, or undefined when the scan declines it
 */
export function scanCellOf(
  text: string,
  scanCell: (scan: RowScan, at: number) => number,
  settings: Partial<RowScan> = {},
): ScannedCell | undefined {
  const scan = {
    ...newRowScan(),
    input: Buffer.from(`,${text}`),
    output: new Uint8Array(text.length + 20),
    ...settings,
  };
  const end = scanCell(scan, 1);
  if (end === DECLINED) return undefined;
  return {
    sent: Buffer.from(scan.output.subarray(0, scan.to)).toString(),
    rest: scan.input.toString('utf8', end),
    scan,
  };
}
