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
import { csvLines } from '../../src/csv/write/write-csv.ts';
import { COMMA, NINE, QUOTE, SPACE, ZERO } from '../../src/kernel/byte-names.ts';
import { NO_CODE, OUTCOME_NAMES } from '../../src/rows/packed-outcomes.ts';
import { NO_BATCH, NO_OUTCOME_YET, type RowPack, textsFrom } from '../../src/ledger/row/read-packed-rows.ts';
import type { BatchRow, FileRow } from '../../src/ledger/engine/records.ts';
import {
  correctionOf,
  REASON_TITLE,
  RESULT_TITLES,
  resultCells,
  titlesOf,
} from '../../src/reconcile/outputs/result-row.ts';
import { type FinishedPage, finishedPages, type FinishedRows } from './finished-pages.ts';
import type { OutputFiles } from './output-files.ts';
import { columnsOf, type LayoutName } from '../../schemas/layouts.ts';
import { cellsOf, type RawLines, standsInBytes } from '../../src/csv/read/read-raw-lines.ts';
import { plainRowCopier, shownRow } from './copy-plain-row.ts';

/** Outputs made of the rows of a file. */
export const ROW_KINDS = ['result', 'rejects', 'retry'] as const;
type RowKind = (typeof ROW_KINDS)[number];

/**
 * Writes three files in one pass over the rows. The result has every input row once, in order, numbers masked, with its
 * outcome. The rejects and retry files have the rows certainly not charged, in their own layout, with the reason;
 * without rows they are not begun. A row of unknown outcome is in neither: sending it again could charge twice.
 */
export async function writeRows(
  app: App,
  file: FileRow,
  batches: readonly BatchRow[],
  outputs: OutputFiles,
): Promise<void> {
  const { sheets, put } = openSheets(app, file);
  const append = async (kind: RowKind, sheet: Sheet) => {
    await outputs.append(kind, sheet.lines.bytes.subarray(0, sheet.lines.length), sheet.rows);
    sheet.lines.length = 0;
    sheet.rows = 0;
  };
  await outputs.appendText('result', TITLE_LINE(['Line', ...titlesOf(file.layout!), ...RESULT_TITLES]));
  for await (const page of finishedPages(app, file, { batches })) {
    put(page);
    for (const kind of ROW_KINDS) if (sheets[kind].lines.length >= FULL_SHEET_BYTES) await append(kind, sheets[kind]);
  }
  for (const kind of ROW_KINDS) if (sheets[kind].rows > 0) await append(kind, sheets[kind]);
}

/** Gathers some pages, because each write has to wake another thread. */
const FULL_SHEET_BYTES = 524_288;

const TITLE_LINE = csvLines({ guard: true });

type Sheet = { lines: ReturnType<typeof newLineBuffer>; rows: number; isBegun: boolean };

function openSheets(app: App, file: FileRow): { sheets: Record<RowKind, Sheet>; put: (page: FinishedPage) => void } {
  const layout = file.layout!;
  const line = csvLines({ guard: true });
  const clear = app.folder(file.folder)?.clearNumbers ?? false;
  const putShown = shownRowPutter(layout);
  const putClear = clear ? shownRowPutter(layout, { clear }) : undefined;
  const writeOutcomeCells = outcomeCellWriter();
  const newSheet = (): Sheet => ({ lines: newLineBuffer(), rows: 0, isBegun: false });
  const sheets = { result: newSheet(), rejects: newSheet(), retry: newSheet() };

  const put = ({ input, from, rows }: FinishedPage): void => {
    const result = sheets.result.lines;
    for (let place = 0; place < rows.count; place += 1) {
      putNumber(result, rows.pack.lines[rows.packFrom + place]!, COMMA);
      const shownFrom = result.length;
      const isValid = rows.pack.batchNos[rows.packFrom + place] !== NO_BATCH;
      putShown(result, input, from + place, isValid);
      const shownTo = result.length;
      writeOutcomeCells(result, rows, place);
      sheets.result.rows += 1;

      if (mayBeCharged(rows, place)) continue;
      const correction = correctionOf(rows.at(place));
      if (!correction) continue;
      const sheet = sheets[correction.kind];
      if (!sheet.isBegun) putText(sheet.lines, line([...titlesOf(layout), REASON_TITLE]));
      sheet.isBegun = true;
      if (putClear) putClear(sheet.lines, input, from + place, isValid);
      else putBytes(sheet.lines, result.bytes, shownFrom, shownTo);
      putText(sheet.lines, line([correction.reason]));
      sheet.rows += 1;
    }
  };
  return { sheets, put };
}

/** Returns whether a row goes into the result alone. Nearly all do and need no closer look. */
function mayBeCharged({ pack, packFrom }: FinishedRows, place: number): boolean {
  return pack.changes.size === 0 && MAY_BE_CHARGED[pack.outcomes[packFrom + place]!] === true;
}

/** In the order of `OUTCOME_NAMES`. */
const MAY_BE_CHARGED = OUTCOME_NAMES.map((name) => !OUTCOMES[name].certainlyNotCharged);

/**
 * Returns a function that writes the cells of an input row as the output files show them, each followed by a comma.
 * @param options.clear shows numbers whole
 * @returns writes one row; `isValid` if it passed the check
 */
export function shownRowPutter(
  layout: LayoutName,
  options: { clear?: boolean } = {},
): (into: LineBuffer, rows: RawLines, place: number, isValid: boolean) => void {
  const copyPlainRow = plainRowCopier(layout, options);
  const line = csvLines({ guard: true });
  const amountAt = new Set([columnsOf(layout).indexOf('amount')]);
  return (into, rows, place, isValid) => {
    if (standsInBytes(rows, place)) {
      const [start, end] = [rows.starts[place]!, rows.ends[place]!];
      const copied = copyPlainRow(rows.bytes, start, end, makeRoom(into, end - start + 1), into.length);
      if (copied >= 0) {
        into.length = copied;
        return;
      }
    }
    const cells = shownRow(layout, cellsOf(rows, place), { ...options, isValid });
    if (cells.length > 0) putText(into, `${line(cells, amountAt).slice(0, -2)},`);
  };
}

/**
 * Returns a function that writes the outcome cells of a result line and its end. Most rows have a plain message and
 * share the rest of the line with their batch, so their bytes are copied. The others go through `resultCells`, which is
 * authoritative.
 */
export function outcomeCellWriter(): (into: LineBuffer, rows: FinishedRows, place: number) => void {
  const line = csvLines({ guard: true });
  let batchNo: number | undefined;
  let shared = NOTHING;
  return (into, rows, place) => {
    const { pack } = rows;
    const at = rows.packFrom + place;
    if (!isPlain(pack, at)) {
      putText(into, line(resultCells(rows.at(place), []).slice(1)));
      return;
    }
    if (batchNo !== pack.batchNos[at]) {
      batchNo = pack.batchNos[at];
      shared = Buffer.from(`,${line(resultCells(rows.at(place), []).slice(FIRST_SHARED))}`);
    }
    putBytes(into, LABELS[pack.outcomes[at]!]!);
    if (pack.codes[at] !== NO_CODE) putText(into, String(pack.codes[at]));
    const messageEnd = pack.ends[2 * at]!;
    putCell(into, pack.texts, textsFrom(pack, at), messageEnd);
    putCell(into, pack.texts, messageEnd, pack.ends[2 * at + 1]!);
    putBytes(into, shared);
  };
}

const NOTHING = Buffer.alloc(0);

/** Label of each outcome as the first cell, in the order of `OUTCOME_NAMES`. */
const LABELS = OUTCOME_NAMES.map((name) => Buffer.from(`${OUTCOMES[name].label},`));

/** Index of the batch id in a row without input, after the line. From it on, the rows of a batch have the same cells. */
const FIRST_SHARED = 1 + RESULT_TITLES.indexOf('Batch Id');

function isPlain(pack: RowPack, at: number): boolean {
  if (pack.outcomes[at] === NO_OUTCOME_YET || pack.changes.size > 0) return false;
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
  makeRoom(into, 1)[into.length] = COMMA;
  into.length += 1;
  putBytes(into, bytes, start, end);
}
