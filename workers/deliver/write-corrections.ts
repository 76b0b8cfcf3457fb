import { columnsOf } from '../../schemas/layouts.ts';
import { OUTCOMES, type Outcome } from '../../schemas/lifecycle.ts';
import type { App } from '../../src/app.ts';
import { csvLines } from '../../src/csv/write-csv.ts';
import { readOutcomeTotals } from '../../src/ledger/queries/read-file.ts';
import type { FileRow } from '../../src/ledger/records.ts';
import { correctionOf } from '../../src/reconcile/outputs/result-row.ts';
import { REASON_TITLE, titlesOf } from '../../src/reconcile/outputs/titles.ts';
import { finishedRows } from './finished-rows.ts';
import { putLine } from './put-lines.ts';
import { shownRow } from './shown-row.ts';
import { writeOutputFile } from './write-output-file.ts';

/**
 * The rejects and retry files (F55): rows that were certainly not charged, in the layout they came in, with the reason
 * behind. A row of unknown outcome is in neither: to send it again could charge twice.
 */
export async function writeCorrections(app: App, file: FileRow): Promise<void> {
  const outcomes = await readOutcomeTotals(app.ledger, file.file_no, { correctionNo: 0 });
  if (!(Object.keys(outcomes) as Outcome[]).some((name) => OUTCOMES[name].certainlyNotCharged)) return;
  for (const kind of ['rejects', 'retry'] as const) {
    if (await hasAny(app, file, kind)) await writeCorrection(app, file, kind);
  }
}

async function hasAny(app: App, file: FileRow, kind: 'rejects' | 'retry'): Promise<boolean> {
  for await (const { row } of finishedRows(app, file)) if (correctionOf(row)?.kind === kind) return true;
  return false;
}

async function writeCorrection(app: App, file: FileRow, kind: 'rejects' | 'retry'): Promise<void> {
  const layout = file.layout!;
  const line = csvLines({ guard: true });
  const amountAt = new Set([columnsOf(layout).indexOf('amount')]);
  const clear = app.folder(file.folder)?.clearNumbers ?? false;
  await writeOutputFile(app, file, kind, async (out) => {
    await putLine(out, line([...titlesOf(layout), REASON_TITLE]));
    let rows = 0;
    for await (const { row, cells } of finishedRows(app, file)) {
      const correction = correctionOf(row);
      if (correction?.kind !== kind) continue;
      await putLine(out, line([...shownRow(layout, cells, { clear }), correction.reason], amountAt));
      rows += 1;
    }
    return rows;
  });
}
