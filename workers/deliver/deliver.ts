import { LAYOUTS } from '../../schemas/layouts.ts';
import { OUTPUT_KINDS, type OutputKind } from '../../schemas/lifecycle.ts';
import type { App } from '../../src/app.ts';
import { byNumber, counted } from '../../src/kernel/counted.ts';
import { crashPoint } from '../../src/kernel/crash-point.ts';
import { formatInZone } from '../../src/calendar/zone-time.ts';
import type { OutcomeTotals } from '../../src/rows/rows.ts';
import {
  completeFile,
  type Delivery,
  type NewOutput,
  readDelivery,
  readDueCorrections,
} from '../../src/ledger/file/complete-file.ts';
import { dueFiles } from '../../src/ledger/batch/due-work.ts';
import { readBatches, readOutcomeTotals, readOutputs } from '../../src/ledger/file/read-file.ts';
import { withheldOf } from '../../src/ledger/file/file-figures.ts';
import type { Ledger } from '../../src/ledger/engine/open-ledger.ts';
import type { BatchRow, FileRow, ReadFileRow } from '../../src/ledger/engine/records.ts';
import { lockAndQuery } from '../../src/ledger/engine/with-lock.ts';
import { checkControlTotals, type ControlTotal, type Figures } from '../../src/reconcile/control-totals.ts';
import { type Summary, summaryJson, summaryText } from '../../src/reconcile/outputs/summary.ts';
import { sayWithheld } from '../../src/reconcile/say-withheld.ts';
import { whatRead } from '../file-profile.ts';
import { resultTitles } from '../../src/reconcile/outputs/result-row.ts';
import { LAST_ROW } from '../../src/csv/workbook/cell-address.ts';
import { typedCell, type WorkbookCell, writeWorkbook } from '../../src/csv/workbook/write-workbook.ts';
import { type ResultInput, resultInput } from './result-input.ts';
import { countDelivered } from './count-delivered.ts';
import { type OutputFiles, publishOutputs, writeOutputFiles } from './output-files.ts';
import { FIRST } from './finished-pages.ts';
import { mustHold, writeResultCorrection } from './write-result-correction.ts';
import { writeRows } from './write-rows.ts';
import { eachAlone, type Stage } from '../stage.ts';
import { writeDueNotice } from './write-notice.ts';

/** Bytes of the files of a group; a larger file is a group of its own. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Writes the output files that are due. */
export const DELIVER: Stage<{ fileId: string }> = {
  name: 'deliver',
  most: { things: 10, weight: MOST_BYTES },
  findDue: (app) => dueFiles(app.ledger, 'deliver', app.settings.site),
  thingOf: (fileId) => ({ fileId }),
  itemOf: ({ fileId }) => ({ work: 'deliver', subject: fileId, fileId }),
  work: eachAlone(deliverFile),
};

/**
 * Writes the output files that are due: the notice, the results once no batch is open, then a correction for each
 * change of outcomes. The results complete the file. All come from the ledger and the sealed original alone, so a
 * repeat after a crash gives the same bytes.
 */
export async function deliverFile(app: App, { fileId }: { fileId: string }): Promise<void> {
  const ask = (ledger: Ledger) => readDelivery(ledger, fileId);
  await lockAndQuery(app.ledger, `deliver:${fileId}`, ask, async (due) => {
    app.telemetry.note({ account: due.file.account });
    await writeDueNotice(app, due);
    crashPoint('deliver.notice-written');
    const isFinal = haveResults(due);
    if (isFinal) await deliverResults(app, due.file);
    // Changes may have waited for the results.
    const corrections = isFinal ? await readDueCorrections(app.ledger, due.file.file_no) : due.corrections;
    for (const correctionNo of corrections) {
      await writeResultCorrection(app, due.file, correctionNo);
      app.log.info({ fileId, correctionNo }, 'correction written');
    }
  });
}

function haveResults({ file, written, openBatches }: Delivery): boolean {
  if (file.state === 'partly_cancelled' && written.has('summary-txt')) return false;
  return HAVE_RESULTS.has(file.state) && openBatches === 0;
}

const HAVE_RESULTS: ReadonlySet<FileRow['state']> = new Set(['accepted', 'in_progress', 'partly_cancelled']);

async function deliverResults(app: App, file: ReadFileRow): Promise<void> {
  const { batches, controlTotals, summaries } = await writeResults(app, file);
  const done = await completeFile(app.ledger, { file, batches }, { controlTotals }, summaries);
  if (done) app.log.info({ fileId: file.file_id, account: file.account }, 'file completed');
}

/**
 * Writes every output of a file whose rows are final. Writing them again gives the same bytes.
 * @returns the summaries too; `completeFile` records them with the control totals
 */
export async function writeResults(
  app: App,
  file: ReadFileRow,
): Promise<{ batches: BatchRow[]; controlTotals: ControlTotal[]; summaries: NewOutput[] }> {
  const batches = await readBatches(app.ledger, file.file_id);
  const delivered = await writeRowOutputs(app, file, batches);
  const outcomes = await readOutcomeTotals(app.ledger, file.file_no, FIRST);
  const controlTotals = checkControlTotals({ ...figuresOfFile(file), batches, outcomes, delivered });
  mustHold(controlTotals, `complete file "${file.file_id}"`);
  crashPoint('deliver.totals-held');
  const summary = await summarize(app, file, { batches, outcomes, controlTotals });
  const summaries = await publishOutputs(app, file, async (outputs) => {
    await outputs.appendText('summary-json', summaryJson(summary));
    await outputs.appendText('summary-txt', summaryText(summary));
    await outputs.publish(['summary-json', 'summary-txt']);
  });
  crashPoint('deliver.summaries-written');
  return { batches, controlTotals, summaries };
}

/** @returns rows and money per outcome in the result file, read back from disk */
async function writeRowOutputs(app: App, file: ReadFileRow, batches: readonly BatchRow[]): Promise<OutcomeTotals> {
  let delivered: OutcomeTotals = {};
  const input = await resultInput(app, file);
  const write = async (outputs: OutputFiles) => {
    await writeRows(app, file, { batches, input }, outputs);
    await outputs.publish(['result'], async (_kind, bytes) => {
      const writeToo = wantsWorkbook(app, file) ? workbookWriter(file, input, outputs) : undefined;
      delivered = await countDelivered(bytes, input, file.output_form.delimiter, writeToo);
    });
    crashPoint('deliver.result-written');
    await outputs.publish(['result-xlsx', 'sent', 'rejects', 'retry']);
  };
  await writeOutputFiles(app, file, write, { batches });
  crashPoint('deliver.corrections-written');
  return delivered;
}

function wantsWorkbook(app: App, { output_form: form, records, file_id: fileId }: FileRow): boolean {
  if (!form.workbook) return false;
  const fits = (records ?? 0) < LAST_ROW;
  if (!fits) app.log.warn({ fileId }, 'the result has more rows than a sheet, so it gets no workbook');
  return fits;
}

/** Returns what writes the lines of a result into a workbook. Numbers are masked in them already. */
function workbookWriter(file: FileRow, { types }: ResultInput, outputs: OutputFiles) {
  const ours = resultTitles(file.output_form);
  const typeAt = ['text', ...types, ...ours.map((title) => (title === 'Amount Charged' ? 'charged' : 'text'))] as const;
  const cellOf = (cell: string, place: number) => {
    const type = typeAt[place] ?? 'text';
    // Our amounts may be written with a comma.
    return type === 'charged' ? typedCell(cell.replace(',', '.'), 'number') : typedCell(cell, type);
  };
  return async (lines: AsyncIterable<readonly string[]>): Promise<void> => {
    let read = 0;
    let written = 1;
    async function* rows(): AsyncGenerator<readonly WorkbookCell[]> {
      for await (const cells of lines) {
        read += 1;
        yield read === 1 ? cells : cells.map(cellOf);
      }
    }
    for await (const bytes of writeWorkbook('Result', rows())) {
      await outputs.append('result-xlsx', bytes, Math.max(read - written, 0));
      written = Math.max(read, written);
    }
  };
}

async function summarize(
  app: App,
  file: FileRow,
  {
    batches,
    outcomes,
    controlTotals,
  }: Pick<Figures, 'outcomes'> & {
    batches: readonly BatchRow[];
    controlTotals: ControlTotal[];
  },
): Promise<Summary> {
  const { account, timeZone } = file.output_form;
  const when = (at: Date | null) => (at ? formatInZone(at, timeZone) : '');
  const outputs = await readOutputs(app.ledger, file.file_id);
  const readBy = await whatRead(app.ledger.pool, file);
  const unknown = outcomes.unknown?.rows ?? 0;
  const withheld = withheldOf(file);
  return {
    file: {
      fileId: file.file_id,
      name: file.name,
      account,
      operation: file.operation,
      layout: file.layout && LAYOUTS[file.layout].title,
      sha256: file.sha256,
      bytes: file.bytes,
      completeness: file.completeness,
      claimedAt: when(file.claimed_at),
      ...(readBy && { readBy }),
    },
    controlTotals,
    outcomes,
    batches: batches.map((batch) => ({
      batchNo: batch.batch_no,
      batchId: batch.batch_id,
      state: batch.state,
      attempt: batch.attempt,
      rows: batch.rows,
      cents: batch.cents,
      sentAt: when(batch.submitted_at),
      resultAt: when(batch.result_at),
    })),
    // The summaries cannot hold their own hashes. Sort by kind: times may be equal, or differ when the files are
    // written again, and the summary must not differ.
    outputs: outputs
      .filter((output) => !output.kind.startsWith('summary') && output.number === 0)
      .sort((one, other) => KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind))
      .map(({ kind, name, sha256, rows }) => ({ kind, name, sha256, rows })),
    openItems: [
      ...(unknown === 0
        ? []
        : [
            `${counted(unknown, 'row')} may or may not have been charged; ask the service before sending ${byNumber(unknown, 'it', 'them')} again`,
          ]),
      ...(withheld.rows === 0 ? [] : [`${sayWithheld(withheld)}; correct the rejects file and drop it`]),
    ],
  };
}

const KINDS = Object.keys(OUTPUT_KINDS) as OutputKind[];

/** Returns the file's own figures for the control totals, as counted at intake. Money is integer cents. */
export function figuresOfFile(file: FileRow): Omit<Figures, 'batches' | 'outcomes' | 'delivered'> {
  return {
    control: file.control,
    // A file keeps the reason it was held for; while it is still held, it is not approved.
    approved: file.reason_code !== null && file.state !== 'held',
    sha256: file.sha256,
    physicalLines: file.physical_lines ?? 0,
    blankLines: file.blank_lines ?? 0,
    headerLines: file.header_line === null ? 0 : 1,
    readLines: file.profile_lines,
    records: file.records ?? 0,
    valid: { rows: file.valid_rows ?? 0, cents: file.valid_cents ?? 0 },
    invalidRows: file.invalid_rows ?? 0,
  };
}
