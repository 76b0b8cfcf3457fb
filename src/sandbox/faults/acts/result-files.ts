import { gzipSync } from 'node:zlib';
import { type ColumnName, columnsOf, layoutOf } from '../../../../schemas/layouts.ts';
import { BATCH_TEXTS } from '../../handlers/batches.ts';
import type { Reply } from '../../reply.ts';
import type { Step } from '../play-steps.ts';
import { sendWhole } from './cut-answers.ts';

/** Result files that do not match what was sent. Row functions take the rows as cells and return what is delivered. */

type Row = readonly string[];

/** Delivers the file with its rows changed. */
export function changeRows(change: (rows: readonly Row[]) => readonly Row[]) {
  return (reply: Reply): Step[] =>
    replaceFile(reply, (file) => encode(change(rowsOf(file)).map((row) => `${row.join(',')}\r\n`)));
}

export function dropRow(rows: readonly Row[]): readonly Row[] {
  return rows.slice(0, -1);
}

/** Adds a row like the last, with another invoice. */
export function addRow(rows: readonly Row[]): readonly Row[] {
  const last = rows.at(-1) ?? [];
  return [...rows, changeCell(last, ['invoice'], (text) => `${text}9`)];
}

export function reverseRows(rows: readonly Row[]): readonly Row[] {
  return rows.toReversed();
}

/** Adds one unit to the amount of the first row. */
export function alterAmount(rows: readonly Row[]): readonly Row[] {
  return changeFirst(rows, ['amount'], (text) => (Number(text) + 1).toFixed(2));
}

export function alterInvoice(rows: readonly Row[]): readonly Row[] {
  return changeFirst(rows, ['invoice'], (text) => `${text}9`);
}

/** Changes the last digit of the first masked number; a layout with customer codes has none. */
export function alterLastFour(rows: readonly Row[]): readonly Row[] {
  return changeFirst(rows, ['cardNumber', 'accountNumber'], (text) =>
    text.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10)),
  );
}

export function quoteCells(rows: readonly Row[]): readonly Row[] {
  return rows.map((row) => row.map((cell) => `"${cell}"`));
}

/** Shows what a bank that has not answered leaves behind; a later fetch has the real result. */
export function timeOutLastRow(rows: readonly Row[]): readonly Row[] {
  return rows.map((row, index) => (index === rows.length - 1 ? [...row.slice(0, -1), 'TIMEOUT'] : row));
}

export function endWithLineFeeds(reply: Reply): Step[] {
  return replaceFile(reply, (file) => encode(rowsOf(file).map((row) => `${row.join(',')}\n`)));
}

/** Puts a character that is not base64 into the middle. */
export function damageBase64(reply: Reply): Step[] {
  return replaceFile(reply, (file) => {
    const text = file.toString('base64');
    const middle = Math.floor(text.length / 2);
    return `${text.slice(0, middle)}!${text.slice(middle + 1)}`;
  });
}

export function encodeTwice(reply: Reply): Step[] {
  return replaceFile(reply, (file) => Buffer.from(file.toString('base64')).toString('base64'));
}

export function emptyFile(reply: Reply): Step[] {
  return replaceFile(reply, () => '');
}

/** Puts a NUL before the second cell of the first row. */
export function insertNul(reply: Reply): Step[] {
  return replaceFile(reply, (file) => encode([file.toString('latin1').replace(',', ',\0')]));
}

export function encodeFileUtf16(reply: Reply): Step[] {
  return replaceFile(reply, (file) => Buffer.from(`\ufeff${file.toString('latin1')}`, 'utf16le').toString('base64'));
}

export function compressFile(reply: Reply): Step[] {
  return replaceFile(reply, (file) => gzipSync(file).toString('base64'));
}

/** Answers as for an id that the service never issued. */
export function denyBatchId(reply: Reply): Step[] {
  const body = String(reply.body).replace(FILE, '').replace(BATCH_TEXTS.done, BATCH_TEXTS.unknown);
  return sendWhole({ ...reply, body });
}

/** Answers as for a batch that is not done yet. */
export function sayStillRunning(reply: Reply): Step[] {
  const body = String(reply.body).replace(FILE, '').replace(BATCH_TEXTS.done, BATCH_TEXTS.running);
  return sendWhole({ ...reply, body });
}

/** Returns whether an answer carries a result file. */
export function holdsResultFile({ body }: Reply): boolean {
  return typeof body === 'string' && FILE.test(body);
}

const FILE = /<BATCHPROCESSRESULTFILE>([^<]*)<\/BATCHPROCESSRESULTFILE>/;

function replaceFile(reply: Reply, change: (file: Buffer) => string): Step[] {
  const body = String(reply.body).replace(
    FILE,
    (_, base64: string) => `<BATCHPROCESSRESULTFILE>${change(Buffer.from(base64, 'base64'))}</BATCHPROCESSRESULTFILE>`,
  );
  return sendWhole({ ...reply, body });
}

/** Reads the file byte by byte, so unchanged parts stay as they were in any character set. */
function rowsOf(file: Buffer): Row[] {
  const lines = file.toString('latin1').split(/\r?\n/);
  return lines.filter((line) => line !== '').map((line) => line.split(','));
}

function encode(lines: readonly string[]): string {
  return Buffer.from(lines.join(''), 'latin1').toString('base64');
}

/** Changes a cell of the first row that has one of the columns. */
function changeFirst(rows: readonly Row[], wanted: readonly ColumnName[], change: (text: string) => string) {
  const at = rows.findIndex((row) => findColumn(row, wanted) >= 0);
  return rows.map((row, index) => (index === at ? changeCell(row, wanted, change) : row));
}

function changeCell(row: Row, wanted: readonly ColumnName[], change: (text: string) => string): Row {
  const column = findColumn(row, wanted);
  return row.map((cell, index) => (index === column ? change(cell) : cell));
}

/** Finds a column. Only card rows begin with a date, which tells them from bank rows of the same width. */
function findColumn(row: Row, wanted: readonly ColumnName[]): number {
  const layout = layoutOf(/^\d\d\/\d\d\/\d{4}$/.test(row[0] ?? '') ? 'card' : 'ach-charge', row.length - 1);
  return layout ? columnsOf(layout).findIndex((column) => wanted.includes(column)) : -1;
}
