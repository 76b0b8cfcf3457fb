import { OUTCOMES } from '../../schemas/lifecycle.ts';
import type { App } from '../../src/app.ts';
import {
  type LineBuffer,
  makeRoom,
  newLineBuffer,
  putBytes,
  putNumber,
  putText,
} from '../../src/csv/read/line-buffer.ts';
import { type CsvForm, csvLines, DELIMITERS, PLAIN_FORM } from '../../src/csv/write/write-csv.ts';
import { COMMA, MINUS, NINE, POINT, QUOTE, SPACE, ZERO } from '../../src/kernel/byte-names.ts';
import { NO_CODE, OUTCOME_NAMES } from '../../src/rows/packed-outcomes.ts';
import { NO_BATCH, NO_OUTCOME_YET, type RowPack, textsFrom } from '../../src/ledger/row/read-packed-rows.ts';
import type { Fault } from '../../src/rows/rows.ts';
import type { BatchRow, FileRow } from '../../src/ledger/engine/records.ts';
import { correctionOf, outcomeCells, resultTitles } from '../../src/reconcile/outputs/result-row.ts';
import { type FinishedPage, finishedPages, type FinishedRows } from './finished-pages.ts';
import type { OutputFiles } from './output-files.ts';
import { ownTitles, type ResultInput, senderRowPutter, sentLines } from './result-input.ts';
import type { OutputForm } from '../../schemas/config.ts';
import { columnsOf, type LayoutName, REASON_TITLE, RESULT_TITLES } from '../../schemas/layouts.ts';
import { cellsOf, type RawLines, standsInBytes } from '../../src/csv/read/read-raw-lines.ts';
import { plainRowCopier, shownRow } from './copy-plain-row.ts';

/** Outputs made of the rows of a file. */
export const ROW_KINDS = ['result', 'sent', 'rejects', 'retry'] as const;
type RowKind = (typeof ROW_KINDS)[number];

/**
 * Writes these outputs in one pass over the rows. The result has every input row once, in order, numbers masked, with
 * its outcome. The rejects and retry files have the rows certainly not charged, as the folder reads them, with the
 * reason; without rows they are not begun. A row of unknown outcome is in neither: sending it again could charge twice.
 * The settings for outputs do not change these two, because they must be fit to be dropped again.
 */
export async function writeRows(
  app: App,
  file: FileRow,
  {
    input,
    ...found
  }: {
    batches: readonly BatchRow[];
    input: ResultInput;
    pack?: RowPack | undefined;
    firstFaults?: readonly Fault[] | undefined;
  },
  outputs: OutputFiles,
): Promise<void> {
  const form = file.output_form;
  const { sheets, put } = openSheets(app, file, { form, input });
  const append = async (kind: RowKind, sheet: Sheet) => {
    await outputs.append(kind, sheet.lines.bytes.subarray(0, sheet.lines.length), sheet.rows);
    sheet.lines.length = 0;
    sheet.rows = 0;
  };
  const [first = '', ...ours] = ownTitles(['Line', ...resultTitles(form)], input);
  await outputs.appendText('result', csvLines({ guard: true, form })([first, ...input.titles, ...ours]));
  for await (const page of finishedPages(app, file, found)) {
    put(page);
    for (const kind of ROW_KINDS) if (sheets[kind].lines.length >= FULL_SHEET_BYTES) await append(kind, sheets[kind]);
  }
  for (const kind of ROW_KINDS) if (sheets[kind].rows > 0) await append(kind, sheets[kind]);
}

/** Gathers some pages, because each write has to wake another thread. */
const FULL_SHEET_BYTES = 524_288;

type Sheet = { lines: ReturnType<typeof newLineBuffer>; rows: number; isBegun: boolean };

function openSheets(
  app: App,
  file: FileRow,
  { form, input }: { form: OutputForm; input: ResultInput },
): { sheets: Record<RowKind, Sheet>; put: (page: FinishedPage) => void } {
  // By the present setting: a permission that was withdrawn must not show numbers in an output that is made later.
  const clear = app.folder(file.folder)?.clearNumbers ?? false;
  const delimiter = DELIMITERS[form.delimiter].charCodeAt(0);
  const putShown = input.layout ? shownRowPutter(input.layout, { form }) : senderRowPutter(input, form);
  const sent = input.layout ? undefined : sentLines(file.layout!, form);
  const dropped = droppedRows(input, { clear });
  const writeOutcomeCells = outcomeCellWriter(form);
  const newSheet = (): Sheet => ({ lines: newLineBuffer(), rows: 0, isBegun: false });
  const sheets = { result: newSheet(), sent: newSheet(), rejects: newSheet(), retry: newSheet() };

  const begin = (kind: RowKind, head: Buffer): LineBuffer => {
    const sheet = sheets[kind];
    if (!sheet.isBegun) putBytes(sheet.lines, head);
    sheet.isBegun = true;
    sheet.rows += 1;
    return sheet.lines;
  };

  const put = ({ input, from, rows }: FinishedPage): void => {
    const result = sheets.result.lines;
    for (let place = 0; place < rows.count; place += 1) {
      const line = rows.pack.lines[rows.packFrom + place]!;
      putNumber(result, line, delimiter);
      const isValid = rows.pack.batchNos[rows.packFrom + place] !== NO_BATCH;
      putShown(result, input, from + place, isValid);
      writeOutcomeCells(result, rows, place);
      sheets.result.rows += 1;
      if (sent && isValid) putText(begin('sent', sent.head), sent.line(line, cellsOf(input, from + place)));

      if (mayBeCharged(rows, place)) continue;
      const correction = correctionOf(rows.at(place));
      if (!correction) continue;
      const { kind, reason } = correction;
      dropped.put(begin(kind, dropped.head), { input, place: from + place, isValid, reason });
    }
  };
  return { sheets, put };
}

/** A row of rejects or retry. */
type DroppedRow = { input: RawLines; place: number; isValid: boolean; reason: string };

/** Returns how rows are written into files to be dropped again. */
function droppedRows(
  { titles, layout, returned }: ResultInput,
  { clear }: { clear: boolean },
): { head: Buffer; put: (into: LineBuffer, row: DroppedRow) => void } {
  if (returned) {
    const put = (into: LineBuffer, { input, place, isValid, reason }: DroppedRow) =>
      putBytes(into, returned.row(input, place, { isValid, clear }, reason));
    return { head: returned.head, put };
  }
  const line = csvLines({ guard: true });
  const putShown = shownRowPutter(layout!, { clear });
  const put = (into: LineBuffer, { input, place, isValid, reason }: DroppedRow) => {
    putShown(into, input, place, isValid);
    putText(into, line([reason]));
  };
  return { head: Buffer.from(line([...titles, REASON_TITLE])), put };
}

/** Returns whether a row goes into the result alone. Nearly all do and need no closer look. */
function mayBeCharged({ pack, packFrom }: FinishedRows, place: number): boolean {
  return MAY_BE_CHARGED[pack.outcomes[packFrom + place]!] === true;
}

/** In the order of `OUTCOME_NAMES`. */
const MAY_BE_CHARGED = OUTCOME_NAMES.map((name) => !OUTCOMES[name].certainlyNotCharged);

/**
 * Returns a function that writes the cells of an input row as the output files show them, each followed by the
 * delimiter. Plain rows are copied only between commas, which nearly all outputs have.
 * @param options.clear shows numbers whole
 * @returns writes one row; `isValid` if it passed the check
 */
export function shownRowPutter(
  layout: LayoutName,
  { clear = false, form: { delimiter, decimal } = PLAIN_FORM }: { clear?: boolean; form?: CsvForm } = {},
): ShownRowPutter {
  const name = [layout, clear, delimiter, decimal].join(' ');
  const putter = PUTTERS.get(name) ?? makePutter(layout, clear, { delimiter, decimal });
  PUTTERS.set(name, putter);
  return putter;
}

type ShownRowPutter = (into: LineBuffer, rows: RawLines, place: number, isValid: boolean) => void;

/** They hold nothing of a file. V8 drops the compiled code of a function once none is left, so they are kept. */
const PUTTERS = new Map<string, ShownRowPutter>();

function makePutter(layout: LayoutName, clear: boolean, form: CsvForm): ShownRowPutter {
  const copyPlainRow = form.delimiter === 'comma' ? plainRowCopier(layout, { clear }) : undefined;
  const line = csvLines({ guard: true, form });
  const amountAt = new Set([columnsOf(layout).indexOf('amount')]);
  return (into, rows, place, isValid) => {
    if (copyPlainRow && standsInBytes(rows, place)) {
      const [start, end] = [rows.starts[place]!, rows.ends[place]!];
      const copied = copyPlainRow(rows.bytes, start, end, makeRoom(into, end - start + 1), into.length);
      if (copied >= 0) {
        into.length = copied;
        return;
      }
    }
    const cells = shownRow(layout, cellsOf(rows, place), { clear, isValid });
    if (cells.length > 0) putText(into, line(cells, amountAt).slice(0, -2) + DELIMITERS[form.delimiter]);
  };
}

/**
 * Returns a function that writes the outcome cells of a result line and its end. Most rows have a plain message and
 * share cells with their batch or their outcome, whose bytes are copied. The others go through `outcomeCells`, which is
 * authoritative, as do all rows of a form with other columns or delimiters.
 */
export function outcomeCellWriter(form: OutputForm): (into: LineBuffer, rows: FinishedRows, place: number) => void {
  const line = csvLines({ guard: true, form });
  const amountAt = new Set([resultTitles(form).indexOf('Amount Charged')]);
  const lineOf = (rows: FinishedRows, place: number) => line(outcomeCells(rows.at(place), form), amountAt);
  if (!isUsual(form)) return (into, rows, place) => putText(into, lineOf(rows, place));
  const putShared = sharedCellPutter(form);
  return (into, rows, place) => {
    const { pack } = rows;
    const at = rows.packFrom + place;
    if (!isPlain(pack, at)) {
      putText(into, lineOf(rows, place));
      return;
    }
    putBytes(into, LABELS[pack.outcomes[at]!]!);
    if (pack.codes[at] !== NO_CODE) putText(into, String(pack.codes[at]));
    const messageEnd = pack.ends[2 * at]!;
    putCell(into, pack.texts, textsFrom(pack, at), messageEnd);
    putCell(into, pack.texts, messageEnd, pack.ends[2 * at + 1]!);
    putShared(into, rows, place);
  };
}

/** Returns whether a form has all columns between commas and with a point. */
function isUsual({ delimiter, decimal, columns }: OutputForm): boolean {
  const isWhole = resultTitles({ columns }).join() === RESULT_TITLES.join();
  return delimiter === 'comma' && decimal === 'point' && isWhole;
}

/**
 * Returns a function that writes the cells from the batch id on. They differ only by batch, except for the amount, and
 * for the meaning, which differs by outcome, code and sign.
 */
function sharedCellPutter(form: OutputForm): (into: LineBuffer, rows: FinishedRows, place: number) => void {
  const line = csvLines({ guard: true, form });
  const meanings = new Map<number, Buffer>();
  const cellsOf = ({ at }: FinishedRows, place: number) => outcomeCells(at(place), form);
  const makeMeaning = (rows: FinishedRows, place: number, key: number): Buffer => {
    const made = Buffer.from(`,${line(cellsOf(rows, place).slice(AMOUNT + 1))}`);
    meanings.set(key, made);
    return made;
  };
  let batchNo: number | undefined;
  let shared = NOTHING;
  return (into, rows, place) => {
    const { pack } = rows;
    const at = rows.packFrom + place;
    if (batchNo !== pack.batchNos[at]) {
      batchNo = pack.batchNos[at];
      const cells = line(cellsOf(rows, place).slice(FIRST_SHARED, AMOUNT));
      shared = Buffer.from(`,${cells.slice(0, -2)},`);
    }
    putBytes(into, shared);
    const outcome = pack.outcomes[at]!;
    const cents = pack.cents[at]!;
    if (outcome === APPROVED) putCents(into, cents);
    const key = (pack.codes[at]! * OUTCOME_NAMES.length + outcome) * 2 + (cents < 0 ? 1 : 0);
    putBytes(into, meanings.get(key) ?? makeMeaning(rows, place, key));
  };
}

const NOTHING = Buffer.alloc(0);

/** Label of each outcome as the first cell, in the order of `OUTCOME_NAMES`. */
const LABELS = OUTCOME_NAMES.map((name) => Buffer.from(`${OUTCOMES[name].label},`));

const APPROVED = OUTCOME_NAMES.indexOf('approved');
const FIRST_SHARED = RESULT_TITLES.indexOf('Batch Id');
const AMOUNT = RESULT_TITLES.indexOf('Amount Charged');

/** Appends cents as `formatCents` writes them. */
function putCents(into: LineBuffer, cents: number): void {
  const absolute = Math.abs(cents);
  if (cents < 0) putByte(into, MINUS);
  putNumber(into, Math.trunc(absolute / 100), POINT);
  const decimals = absolute % 100;
  putByte(into, ZERO + Math.trunc(decimals / 10));
  putByte(into, ZERO + (decimals % 10));
}

function putByte(into: LineBuffer, byte: number): void {
  makeRoom(into, 1)[into.length] = byte;
  into.length += 1;
}

function isPlain(pack: RowPack, at: number): boolean {
  if (pack.outcomes[at] === NO_OUTCOME_YET) return false;
  const start = textsFrom(pack, at);
  const messageEnd = pack.ends[2 * at]!;
  const digits = countPlainDigits(pack.texts, start, messageEnd);
  // A longer message is cut, and one with more digits may hold a number to hide.
  if (digits < 0 || digits > MOST_DIGITS || messageEnd - start > LONGEST_MESSAGE) return false;
  return countPlainDigits(pack.texts, messageEnd, pack.ends[2 * at + 1]!) >= 0;
}

const MOST_DIGITS = 6;
const LONGEST_MESSAGE = 200;

const PLAIN = 1;
const DIGIT = 2;
const KIND = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= ZERO && byte <= NINE) return PLAIN | DIGIT;
  return byte >= SPACE && byte <= 0x7e && byte !== QUOTE && byte !== COMMA ? PLAIN : 0;
});
/** What starts a formula or guards one, and the space, which is lost at either end. */
const MAY_NOT_BEGIN = new Set([' ', "'", '=', '+', '-', '@'].map((character) => character.charCodeAt(0)));

/** Counts the digits of a printable ASCII cell; -1 if it needs quotes or starts like a formula. */
function countPlainDigits(bytes: Buffer, start: number, end: number): number {
  if (start === end) return 0;
  if (MAY_NOT_BEGIN.has(bytes[start]!) || bytes[end - 1] === SPACE) return -1;
  let digits = 0;
  for (let at = start; at < end; at += 1) {
    const kind = KIND[bytes[at]!]!;
    if (kind === 0) return -1;
    digits += kind >> 1;
  }
  return digits;
}

function putCell(into: LineBuffer, bytes: Buffer, start: number, end: number): void {
  putByte(into, COMMA);
  putBytes(into, bytes, start, end);
}
