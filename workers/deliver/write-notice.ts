import type { OutputKind } from '../../schemas/lifecycle.ts';
import type { App } from '../../src/app.ts';
import { effectOf } from '../../src/csv/check/fault-effect.ts';
import { csvLines } from '../../src/csv/write/write-csv.ts';
import { formatInZone } from '../../src/calendar/zone-time.ts';
import { readFaults, readStopReason } from '../../src/ledger/file/read-file.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { faultCells, type Notice, noticeHead } from '../../src/reconcile/outputs/acknowledgement.ts';
import { writeOutputFiles } from './output-files.ts';

const STATUS = { ack: 'ACCEPTED', held: 'HELD', nak: 'REJECTED', cancelled: 'CANCELLED' } as const;

/**
 * Writes the acknowledgement, the notice of a held or canceled file, or the NAK: verdict and figures, then all faults.
 * @param notice.batches how many the file has
 */
export async function writeNotice(
  app: App,
  file: FileRow,
  { kind, batches }: { kind: OutputKind; batches: number },
): Promise<void> {
  const line = csvLines({ guard: true });
  const folder = app.folder(file.folder);
  const notice = await noticeOf(app, file, STATUS[kind as keyof typeof STATUS], batches);
  await writeOutputFiles(app, file, async (outputs) => {
    await outputs.appendText(
      kind,
      noticeHead(notice)
        .map((cells) => line(cells, VALUE))
        .join(''),
    );
    for await (const page of readFaults(app.ledger, file.file_no)) {
      const lines = page.map((fault) => line(faultCells(fault, folder && effectOf(fault.code, folder))));
      await outputs.appendText(kind, lines.join(''), page.length);
    }
    await outputs.publish([kind]);
  });
}

/** Column of the values in the head; totals in it stay numbers. */
const VALUE = new Set([1]);

async function noticeOf(app: App, file: FileRow, status: Notice['status'], batches: number): Promise<Notice> {
  return {
    status,
    code: file.reason_code,
    reason: status === 'CANCELLED' ? await readStopReason(app.ledger, file.file_id) : (file.reason ?? ''),
    fileId: file.file_id,
    name: file.name,
    account: file.account,
    operation: file.operation,
    layout: file.layout,
    claimedAt: formatInZone(file.claimed_at, app.account(file.account).timeZone),
    bytes: file.bytes,
    sha256: file.sha256,
    completeness: file.completeness,
    records: file.records ?? 0,
    valid: { rows: file.valid_rows ?? 0, cents: file.valid_cents ?? 0 },
    invalidRows: file.invalid_rows ?? 0,
    batches,
  };
}
