import { existsSync } from 'node:fs';
import type { OutputKind } from '../../schemas/lifecycle.ts';
import type { App } from '../../src/app.ts';
import type { Delivery } from '../../src/ledger/file/read-delivery.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { writeNotice } from './write-notice.ts';
import { outputPath } from './output-files.ts';

const NOTICES: Partial<Record<FileRow['state'], OutputKind>> = {
  accepted: 'ack',
  in_progress: 'ack',
  partly_cancelled: 'ack',
  held: 'held',
  rejected: 'nak',
  cancelled: 'cancelled',
};

/** Notices of verdicts that a person may end before the notice is recorded. */
const PASSING: readonly OutputKind[] = ['held', 'ack'];

/** Writes the notice of the file's verdict, unless it is there. */
export async function writeDueNotice(app: App, due: Pick<Delivery, 'file' | 'written' | 'batches'>): Promise<void> {
  await noteStrayNotices(app, due);
  const { file, written, batches } = due;
  const kind = NOTICES[file.state];
  if (kind && !written.has(kind)) await writeNotice(app, file, { kind, batches });
}

/**
 * Rewrites and records a notice whose process died after publishing it. A person may have approved or canceled the file
 * since, but the sender has read the notice; the bytes stay the same. It goes first: if it fails, the due notice is
 * still missing, so both are retried.
 */
async function noteStrayNotices(
  app: App,
  { file, written, batches }: Pick<Delivery, 'file' | 'written' | 'batches'>,
): Promise<void> {
  for (const kind of PASSING) {
    if (kind === NOTICES[file.state] || written.has(kind) || !existsSync(outputPath(app, file, kind))) continue;
    await writeNotice(app, file, { kind, batches });
  }
}
