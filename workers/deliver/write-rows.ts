import { OUTCOMES } from '../../schemas/lifecycle.ts';
import type { App } from '../../src/app.ts';
import { newLineBuffer, putBytes, putNumber, putText } from '../../src/csv/line-buffer.ts';
import { csvLines } from '../../src/csv/write-csv.ts';
import { COMMA } from '../../src/kernel/byte-names.ts';
import { OUTCOME_NAMES } from '../../src/kernel/packed-outcomes.ts';
import type { BatchRow, FileRow } from '../../src/ledger/records.ts';
import { correctionOf } from '../../src/reconcile/outputs/result-row.ts';
import { REASON_TITLE, RESULT_TITLES, titlesOf } from '../../src/reconcile/outputs/titles.ts';
import { type FinishedPage, finishedPages, type FinishedRows } from './finished-pages.ts';
import type { OutputFiles } from './output-files.ts';
import { outcomePutter } from './put-outcome.ts';
import { shownRowPutter } from './put-shown-row.ts';

/** The outputs that are made of the rows of a file. */
export const ROW_KINDS = ['result', 'rejects', 'retry'] as const;
type RowKind = (typeof ROW_KINDS)[number];

/**
 * Writes, in one walk over the rows, the result file: every row of the input once, in its order, numbers masked, with its
 * outcome (F54); and the rejects and retry files (F55): rows that were certainly not charged, in the layout they came in,
 * with the reason behind. A row of unknown outcome is in neither of the two: to send it again could charge twice. One that
 * would have no rows is not begun.
 */
export async function writeRows(
  app: App,
  file: FileRow,
  batches: readonly BatchRow[],
  outputs: OutputFiles,
): Promise<void> {
  const putPage = pagePutter(app, file);
  await outputs.appendText('result', TITLE_LINE(['Line', ...titlesOf(file.layout!), ...RESULT_TITLES]));
  for await (const page of finishedPages(app, file, { batches })) {
    for (const [kind, { lines, rows }] of Object.entries(putPage(page)) as [RowKind, Sheet][]) {
      if (rows > 0) await outputs.append(kind, lines.bytes.subarray(0, lines.length), rows);
    }
  }
}

const TITLE_LINE = csvLines({ guard: true });

/** Lines of one page for one output. */
type Sheet = { lines: ReturnType<typeof newLineBuffer>; rows: number; isBegun: boolean };

/** Puts the rows of one page after another on the sheets they belong to, which are used again for the next page. */
function pagePutter(app: App, file: FileRow): (page: FinishedPage) => Record<RowKind, Sheet> {
  const layout = file.layout!;
  const line = csvLines({ guard: true });
  const clear = app.folder(file.folder)?.clearNumbers ?? false;
  const putShown = shownRowPutter(layout);
  const putClear = clear ? shownRowPutter(layout, { clear }) : undefined;
  const putOutcome = outcomePutter();
  const newSheet = (): Sheet => ({ lines: newLineBuffer(), rows: 0, isBegun: false });
  const sheets = { result: newSheet(), rejects: newSheet(), retry: newSheet() };

  return ({ input, from, rows }) => {
    for (const sheet of Object.values(sheets)) {
      sheet.rows = 0;
      sheet.lines.length = 0;
    }
    const result = sheets.result.lines;
    for (let place = 0; place < rows.count; place += 1) {
      putNumber(result, rows.pack.lines[rows.packFrom + place]!, COMMA);
      const shownFrom = result.length;
      putShown(result, input, from + place);
      const shownTo = result.length;
      putOutcome(result, rows, place);
      sheets.result.rows += 1;

      if (mayBeCharged(rows, place)) continue;
      const correction = correctionOf(rows.at(place));
      if (!correction) continue;
      const sheet = sheets[correction.kind];
      if (!sheet.isBegun) putText(sheet.lines, line([...titlesOf(layout), REASON_TITLE]));
      sheet.isBegun = true;
      if (putClear) putClear(sheet.lines, input, from + place);
      else putBytes(sheet.lines, result.bytes, shownFrom, shownTo);
      putText(sheet.lines, line([correction.reason]));
      sheet.rows += 1;
    }
    return sheets;
  };
}

/** Whether a row stands in the result alone, as nearly all do, so that nobody need look into it. */
function mayBeCharged({ pack, packFrom }: FinishedRows, place: number): boolean {
  return pack.changes.size === 0 && MAY_BE_CHARGED[pack.outcomes[packFrom + place]!] === true;
}

/** In the order of OUTCOME_NAMES. */
const MAY_BE_CHARGED = OUTCOME_NAMES.map((name) => !OUTCOMES[name].certainlyNotCharged);
