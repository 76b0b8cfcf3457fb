import { existsSync } from 'node:fs';
import type { OutputKind } from '../../schemas/lifecycle.ts';
import type { App } from '../../src/app.ts';
import { formatInZone } from '../../src/calendar/zone-time.ts';
import { effectOf } from '../../src/csv/check/fault-effect.ts';
import { csvLines } from '../../src/csv/write/write-csv.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import type { Delivery } from '../../src/ledger/file/complete-file.ts';
import { readFaults, readStopReason } from '../../src/ledger/file/read-file.ts';
import { faultGroups, type Notice, noticeHead, saidEffect } from '../../src/reconcile/outputs/acknowledgement.ts';
import { readEquation } from '../../src/reconcile/control-totals.ts';
import type { Fault } from '../../src/rows/rows.ts';
import { whatRead } from '../file-profile.ts';
import { outputPath, type OutputFiles } from './output-files.ts';

/** Outputs that tell of the verdict on a file. */
export const NOTICE_KINDS = ['ack', 'nak', 'held', 'cancelled'] as const satisfies readonly OutputKind[];

const NOTICES: Partial<Record<FileRow['state'], OutputKind>> = {
  accepted: 'ack',
  in_progress: 'ack',
  partly_cancelled: 'ack',
  held: 'held',
  rejected: 'nak',
  cancelled: 'cancelled',
};

/** How the file was cut. */
type Cut = Pick<Delivery, 'batches' | 'largestBatch'>;

/** Notices of verdicts that a person may end before the notice is recorded. */
const PASSING: readonly OutputKind[] = ['held', 'ack'];

/**
 * Returns the notices of a file that are due: that of its verdict, unless it is there; and one whose process died after
 * publishing it. A person may have approved or canceled the file since, but the sender has read the notice; the bytes stay
 * the same.
 */
export function dueNotices(app: App, { file, outputs }: Pick<Delivery, 'file' | 'outputs'>): OutputKind[] {
  const isWritten = (kind: OutputKind) => outputs.some((output) => output.kind === kind);
  const due = NOTICES[file.state];
  const stray = PASSING.filter((kind) => kind !== due && !isWritten(kind) && existsSync(outputPath(app, file, kind)));
  return [...stray, ...(due && !isWritten(due) ? [due] : [])];
}

const STATUS = { ack: 'ACCEPTED', held: 'HELD', nak: 'REJECTED', cancelled: 'CANCELLED' } as const;

/**
 * Writes the acknowledgement, the notice of a held or canceled file, or the NAK: verdict and figures, then all faults.
 * @param firstFaults the first page of its faults, if it was read
 */
export async function writeNotice(
  app: App,
  { file, ...cut }: Pick<Delivery, 'file'> & Cut,
  { kind, firstFaults }: { kind: OutputKind; firstFaults?: readonly Fault[] | undefined },
  outputs: OutputFiles,
): Promise<void> {
  const line = csvLines({ guard: true });
  const notice = await noticeOf(app, file, STATUS[kind as keyof typeof STATUS], cut);
  const { take, end } = faultGroups((fault) => saidEffect(notice, fault, effectOf(fault.code, file.fault_rules)));
  const write = (lines: readonly string[][]) => lines.map((cells) => line(cells)).join('');
  await outputs.appendText(
    kind,
    noticeHead(notice)
      .map((cells) => line(cells, VALUE))
      .join(''),
  );
  for await (const page of readFaults(app.ledger, file.file_no, { first: firstFaults })) {
    await outputs.appendText(kind, write(take(page)), page.length);
  }
  await outputs.appendText(kind, write(end()));
}

/** Column of the values in the head; totals in it stay numbers. */
const VALUE = new Set([1]);

async function noticeOf(app: App, file: FileRow, status: Notice['status'], cut: Cut): Promise<Notice> {
  const readBy = await whatRead(app.ledger.pool, file);
  return {
    status,
    code: file.reason_code,
    reason: status === 'CANCELLED' ? await readStopReason(app.ledger, file.file_id) : (file.reason ?? ''),
    fileId: file.file_id,
    name: file.name,
    account: file.output_form.account,
    operation: file.operation,
    layout: file.layout,
    ...(readBy && { readBy }),
    ...(file.profile_lines && { lines: readEquation(file.profile_lines, file).says }),
    claimedAt: formatInZone(file.claimed_at, file.output_form.timeZone),
    bytes: file.bytes,
    sha256: file.sha256,
    completeness: file.completeness,
    records: file.records ?? 0,
    valid: { rows: file.valid_rows ?? 0, cents: file.valid_cents ?? 0 },
    invalidRows: file.invalid_rows ?? 0,
    batches: cut.batches,
    largestBatch: cut.largestBatch,
  };
}
