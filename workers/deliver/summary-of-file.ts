import { LAYOUTS } from '../../schemas/layouts.ts';
import { OUTPUT_KINDS, type OutputKind } from '../../schemas/lifecycle.ts';
import type { App } from '../../src/app.ts';
import { byNumber, counted } from '../../src/kernel/counted.ts';
import { formatInZone } from '../../src/calendar/zone-time.ts';
import type { NewOutput } from '../../src/ledger/file/complete-file.ts';
import { withheldOf } from '../../src/ledger/file/file-figures.ts';
import type { BatchRow, FileRow } from '../../src/ledger/engine/records.ts';
import type { ControlTotal, Figures } from '../../src/reconcile/control-totals.ts';
import type { Summary } from '../../src/reconcile/outputs/summary.ts';
import { sayWithheld } from '../../src/reconcile/say-withheld.ts';
import { whatRead } from '../file-profile.ts';

/** Returns what the summaries of a file say. Times are those of its account. */
export async function summaryOf(
  app: App,
  file: FileRow,
  {
    batches,
    outcomes,
    controlTotals,
    known,
  }: Pick<Figures, 'outcomes'> & {
    batches: readonly BatchRow[];
    controlTotals: ControlTotal[];
    known: readonly NewOutput[];
  },
): Promise<Summary> {
  const { account, timeZone } = file.output_form;
  const when = (at: Date | null) => (at ? formatInZone(at, timeZone) : '');
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
    // written again, and the summary must not differ. Those that the ledger knows come first.
    outputs: known
      .filter(({ kind, number = 0 }) => !kind.startsWith('summary') && number === 0)
      .filter(({ kind }, place, all) => all.findIndex((other) => other.kind === kind) === place)
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
