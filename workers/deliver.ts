import { LAYOUTS } from '../schemas/layouts.ts';
import { OUTPUT_KINDS, type OutputKind } from '../schemas/lifecycle.ts';
import type { App } from '../src/app.ts';
import { PipelineError } from '../src/kernel/errors.ts';
import { formatInZone } from '../src/kernel/zone-time.ts';
import { completeFile } from '../src/ledger/moves/complete-file.ts';
import {
  hasOpenBatches,
  readBatches,
  readFileRow,
  readOutcomeTotals,
  readOutputs,
} from '../src/ledger/queries/read-file.ts';
import type { FileRow } from '../src/ledger/records.ts';
import { withLock } from '../src/ledger/with-lock.ts';
import { checkControlTotals, type ControlTotal } from '../src/reconcile/control-totals.ts';
import { summaryJson, summaryText, type Summary } from '../src/reconcile/outputs/summary.ts';
import { countDelivered } from './deliver/count-delivered.ts';
import { writeCorrections } from './deliver/write-corrections.ts';
import { writeNotice } from './deliver/write-notice.ts';
import { writeResult } from './deliver/write-result.ts';
import { writeText } from './deliver/write-text.ts';

/**
 * Writes the output files that are due for a file: the notice of its verdict, and when no batch is open any more the
 * results, after which the file is completed. Every file is made from the ledger and the sealed original alone, so
 * doing it again gives the same bytes, and a crash in between leaves nothing half done.
 */
export async function deliverFile(app: App, { fileId }: { fileId: string }): Promise<void> {
  await withLock(app.ledger, `deliver:${fileId}`, async () => {
    const file = await readFileRow(app.ledger, fileId);
    const written = new Set((await readOutputs(app.ledger, fileId)).map((output) => output.kind));
    await writeDueNotice(app, file, written);
    const isSettled = file.state === 'accepted' || file.state === 'in_progress';
    if (isSettled && !(await hasOpenBatches(app.ledger, fileId))) await deliverResults(app, file);
  });
}

const NOTICES: Partial<Record<FileRow['state'], OutputKind>> = {
  accepted: 'ack',
  in_progress: 'ack',
  held: 'held',
  rejected: 'nak',
};

async function writeDueNotice(app: App, file: FileRow, written: ReadonlySet<OutputKind>): Promise<void> {
  const kind = NOTICES[file.state];
  if (kind && !written.has(kind)) await writeNotice(app, file, kind);
}

async function deliverResults(app: App, file: FileRow): Promise<void> {
  const result = await writeResult(app, file);
  await writeCorrections(app, file);
  const controlTotals = await checkTotals(app, file, result);
  const failed = controlTotals.filter((total) => !total.holds);
  if (failed.length > 0) {
    const reason = failed.map((total) => `${total.id} ${total.says}`).join('; ');
    throw new PipelineError('OUTPUT_MISMATCH', `complete file "${file.file_id}"`, `control totals differ: ${reason}`);
  }
  const summary = await summarize(app, file, controlTotals);
  await writeText(app, file, 'summary-json', summaryJson(summary));
  await writeText(app, file, 'summary-txt', summaryText(summary));
  const done = await completeFile(app.ledger, file.file_id, { controlTotals });
  if (done) app.log.info({ fileId: file.file_id, account: file.account }, 'file completed');
}

async function checkTotals(app: App, file: FileRow, resultPath: string): Promise<ControlTotal[]> {
  const batches = await readBatches(app.ledger, file.file_id);
  return checkControlTotals({
    control: file.control,
    approved: file.reason_code !== null,
    sha256: file.sha256,
    physicalLines: file.physical_lines ?? 0,
    blankLines: file.blank_lines ?? 0,
    headerLines: file.header_line === null ? 0 : 1,
    records: file.records ?? 0,
    valid: { rows: file.valid_rows ?? 0, cents: file.valid_cents ?? 0 },
    invalidRows: file.invalid_rows ?? 0,
    batches,
    outcomes: await readOutcomeTotals(app.ledger, file.file_no),
    delivered: await countDelivered(resultPath, file.layout!),
  });
}

async function summarize(app: App, file: FileRow, controlTotals: ControlTotal[]): Promise<Summary> {
  const { timeZone } = app.account(file.account);
  const when = (at: Date | null) => (at ? formatInZone(at, timeZone) : '');
  const [batches, outputs, outcomes] = await Promise.all([
    readBatches(app.ledger, file.file_id),
    readOutputs(app.ledger, file.file_id),
    readOutcomeTotals(app.ledger, file.file_no),
  ]);
  const unknown = outcomes.unknown?.rows ?? 0;
  return {
    file: {
      fileId: file.file_id,
      name: file.name,
      account: file.account,
      operation: file.operation,
      layout: file.layout && LAYOUTS[file.layout].title,
      sha256: file.sha256,
      bytes: file.bytes,
      completeness: file.completeness,
      claimedAt: when(file.claimed_at),
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
    // The summaries cannot hold their own hashes. In the order of the table: times may be the same, or others when the
    // files are written again, and the summary must not differ for that.
    outputs: outputs
      .filter((output) => !output.kind.startsWith('summary'))
      .sort((one, other) => KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind))
      .map(({ kind, name, sha256, rows }) => ({ kind, name, sha256, rows })),
    openItems:
      unknown === 0
        ? []
        : [`${unknown} rows may or may not have been charged; ask the service before sending them again`],
  };
}

const KINDS = Object.keys(OUTPUT_KINDS) as OutputKind[];
