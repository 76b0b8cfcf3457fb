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
import { COMMA } from '../../src/kernel/byte-names.ts';
import { OUTCOME_NAMES } from '../../src/rows/packed-outcomes.ts';
import { NO_BATCH } from '../../src/ledger/row/read-packed-rows.ts';
import type { BatchRow, FileRow } from '../../src/ledger/engine/records.ts';
import { correctionOf, REASON_TITLE, RESULT_TITLES, titlesOf } from '../../src/reconcile/outputs/result-row.ts';
import { type FinishedPage, finishedPages, type FinishedRows } from './finished-pages.ts';
import type { OutputFiles } from './output-files.ts';
import { outcomePutter } from './put-outcome.ts';
import { columnsOf, type LayoutName } from '../../schemas/layouts.ts';
import { cellsOf, type RawLines, standsInBytes } from '../../src/csv/read/read-raw-lines.ts';
import { plainRowCopier } from './copy-plain-row.ts';
import { shownRow } from './shown-row.ts';

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

/** Lines for one output, not written yet. */
type Sheet = { lines: ReturnType<typeof newLineBuffer>; rows: number; isBegun: boolean };

/** Returns the sheets, and a function that appends the rows of a page to the sheets they belong to. */
function openSheets(app: App, file: FileRow): { sheets: Record<RowKind, Sheet>; put: (page: FinishedPage) => void } {
  const layout = file.layout!;
  const line = csvLines({ guard: true });
  const clear = app.folder(file.folder)?.clearNumbers ?? false;
  const putShown = shownRowPutter(layout);
  const putClear = clear ? shownRowPutter(layout, { clear }) : undefined;
  const putOutcome = outcomePutter();
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
      putOutcome(result, rows, place);
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
