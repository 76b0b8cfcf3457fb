import type { App } from '../../src/app.ts';
import { csvLines } from '../../src/csv/write/write-csv.ts';
import { PipelineError } from '../../src/kernel/errors.ts';
import type { OutcomeTotals } from '../../src/rows/rows.ts';
import { formatInZone } from '../../src/calendar/zone-time.ts';
import { type ChangedRow, readChanges } from '../../src/ledger/row/change-outcomes.ts';
import type { NewOutput } from '../../src/ledger/file/complete-file.ts';
import { readBatches, readOutcomeTotals } from '../../src/ledger/file/read-file.ts';
import type { BatchRow, FileRow, ReadFileRow } from '../../src/ledger/engine/records.ts';
import { checkCorrectionTotals, type ControlTotal } from '../../src/reconcile/control-totals.ts';
import { correctionJson, type CorrectionSummary, correctionText } from '../../src/reconcile/outputs/summary.ts';
import { CHANGE_TITLES, changeCells, resultTitles } from '../../src/reconcile/outputs/result-row.ts';
import { countDelivered } from './count-delivered.ts';
import { inputLines, rowDescriber } from './finished-pages.ts';
import { openOutputs, type OutputFiles, publish } from './output-files.ts';
import { ownTitles, resultInput } from './result-input.ts';
import { cellsOf, type RawLines } from '../../src/csv/read/read-raw-lines.ts';
import { openContent } from '../open-original.ts';

/**
 * Writes and publishes the files of one correction: the rows whose outcome changed after delivery, as they are and were, and a
 * summary. The service or a person may have reported the change. It uses the ledger as of this correction, so later
 * ones do not alter it.
 * @throws PipelineError OUTPUT_MISMATCH when the control totals do not hold; then there is no summary
 */
export async function writeResultCorrection(app: App, file: ReadFileRow, correctionNo: number): Promise<NewOutput[]> {
  const outputs = openOutputs(app, file, correctionNo);
  try {
    await writeFiles(app, outputs);
    await publish(app, [outputs]);
    return [...outputs.written];
  } finally {
    await outputs.drop();
  }
}

async function writeFiles(app: App, outputs: OutputFiles): Promise<void> {
  const { file, number: correctionNo } = outputs;
  const changes = await readChanges(app.ledger, file.file_no, correctionNo);
  const batches = await readBatches(app.ledger, file.file_id);
  const delivered = await writeChanges(app, outputs, { changes, batches });
  const totals = await readOutcomeTotals(app.ledger, file.file_no, { correctionNo });
  const controlTotals = checkCorrectionTotals({ batches, outcomes: totals, changed: sumNew(changes), delivered });
  mustHold(controlTotals, `correct the result of file "${file.file_id}"`);
  const { file_id: fileId, name, operation } = file;
  const { account, timeZone } = file.output_form;
  const summary: CorrectionSummary = {
    file: { fileId, name, account, operation },
    correctionNo,
    changedAt: formatInZone(changes[0]!.at, timeZone),
    evidence: changes[0]!.source,
    changes: sumChanges(changes),
    outcomes: totals,
    controlTotals,
  };
  await outputs.appendText('correction-json', correctionJson(summary));
  await outputs.appendText('correction-txt', correctionText(summary));
  await outputs.readBack(['correction-json', 'correction-txt']);
}

/** @throws PipelineError OUTPUT_MISMATCH when a control total does not hold */
export function mustHold(totals: readonly ControlTotal[], action: string): void {
  const failed = totals.filter((total) => !total.holds);
  if (failed.length === 0) return;
  const reason = failed.map((total) => `${total.id} ${total.says}`).join('; ');
  throw new PipelineError('OUTPUT_MISMATCH', action, `control totals differ: ${reason}`);
}

/** @returns rows and money per outcome, read back from disk */
async function writeChanges(
  app: App,
  outputs: OutputFiles,
  { changes, batches }: { changes: readonly ChangedRow[]; batches: readonly BatchRow[] },
): Promise<OutcomeTotals> {
  const { file } = outputs;
  const input = await resultInput(app, file);
  const form = file.output_form;
  const line = csvLines({ guard: true, form });
  const ours = ownTitles(['Line', ...resultTitles(form), ...CHANGE_TITLES], input);
  const titles = [ours[0]!, ...input.titles, ...ours.slice(1)];
  const chargedAt = resultTitles(form).indexOf('Amount Charged');
  const amountAt = new Set([1 + input.amountAt, chargedAt < 0 ? -1 : 1 + input.titles.length + chargedAt]);
  const describe = rowDescriber(file, batches);
  const cells = await cellsOfLines(
    app,
    file,
    changes.map((change) => change.line),
    (rows, place) => input.cells(rows, place, { isValid: true }),
  );
  const lineOf = (change: ChangedRow): string => {
    const before = {
      outcome: change.old_outcome,
      code: change.old_code,
      message: change.old_message,
      changedAt: formatInZone(change.at, form.timeZone),
      evidence: change.source,
    };
    const shown = cells.get(change.line) ?? [];
    return line(changeCells(describe(change, []), shown, before, form), amountAt);
  };
  let delivered: OutcomeTotals = {};
  await outputs.appendText('correction', line(titles) + changes.map(lineOf).join(''), changes.length);
  await outputs.readBack(['correction'], async (_kind, bytes) => {
    delivered = await countDelivered(bytes, input, form.delimiter);
  });
  return delivered;
}

function sumNew(changes: readonly ChangedRow[]): OutcomeTotals {
  const totals: OutcomeTotals = {};
  for (const { outcome, amount_cents: cents } of changes) {
    const name = outcome as keyof OutcomeTotals;
    const sum = totals[name] ?? { rows: 0, cents: 0 };
    totals[name] = { rows: sum.rows + 1, cents: sum.cents + (cents ?? 0) };
  }
  return totals;
}

function sumChanges(changes: readonly ChangedRow[]): CorrectionSummary['changes'] {
  const sums = new Map<string, CorrectionSummary['changes'][number]>();
  for (const { old_outcome: before, outcome, amount_cents: cents } of changes) {
    const key = `${before} ${outcome}`;
    const sum = sums.get(key) ?? { before, after: outcome!, rows: 0, cents: 0 };
    sums.set(key, { ...sum, rows: sum.rows + 1, cents: sum.cents + (cents ?? 0) });
  }
  return [...sums.values()];
}

/** Reads the cells of some lines from the sealed original, and stops after the last of them. */
export async function cellsOfLines(
  app: App,
  file: FileRow,
  lines: readonly number[],
  read: (rows: RawLines, place: number) => readonly string[] = cellsOf,
): Promise<Map<number, readonly string[]>> {
  const wanted = new Set(lines);
  const found = new Map<number, readonly string[]>();
  const original = openContent(app, file);
  try {
    for await (const input of await inputLines(app, file, original)) {
      for (const [place, line] of input.lines.entries()) if (wanted.has(line)) found.set(line, read(input, place));
      if (found.size === wanted.size) break;
    }
  } finally {
    original.destroy();
  }
  return found;
}
