import type { App } from '../../src/app.ts';
import { csvLines } from '../../src/csv/write-csv.ts';
import type { FileRow } from '../../src/ledger/records.ts';
import { resultCells } from '../../src/reconcile/outputs/result-row.ts';
import { RESULT_TITLES, titlesOf } from '../../src/reconcile/outputs/titles.ts';
import { columnsOf } from '../../schemas/layouts.ts';
import { finishedRows } from './finished-rows.ts';
import { putLine } from './put-lines.ts';
import { shownRow } from './shown-row.ts';
import { writeOutputFile } from './write-output-file.ts';

/** The result file: every row of the input once, in its order, numbers masked, with its outcome (F54). */
export async function writeResult(app: App, file: FileRow): Promise<string> {
  const layout = file.layout!;
  const line = csvLines({ guard: true });
  const amountAt = new Set([1 + columnsOf(layout).indexOf('amount')]);
  return writeOutputFile(app, file, 'result', async (out) => {
    await putLine(out, line(['Line', ...titlesOf(layout), ...RESULT_TITLES]));
    let rows = 0;
    for await (const { row, cells } of finishedRows(app, file)) {
      await putLine(out, line(resultCells(row, shownRow(layout, cells)), amountAt));
      rows += 1;
    }
    return rows;
  });
}
