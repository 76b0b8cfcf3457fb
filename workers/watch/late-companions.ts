import { unlink } from 'node:fs/promises';
import type { App } from '../../src/app.ts';
import type { Folder } from '../../src/config/config.ts';
import { hasShape, lstatOrNothing } from '../../src/files/list-folder.ts';
import { hashFile } from '../../src/files/open-plain-file.ts';
import type { LoneCompanion } from '../../src/files/scan-folder.ts';
import { type ControlTotals, readSidecar } from '../../src/files/sidecar.ts';
import { maskName } from '../../src/kernel/mask.ts';
import { systemCode } from '../../src/kernel/errors.ts';
import { withLock } from '../../src/ledger/engine/with-lock.ts';
import { addControl, findNamesakes, type Namesake, noteLate } from '../../src/ledger/file/late-arrivals.ts';
import { readFileRow } from '../../src/ledger/file/read-file.ts';
import type { PlainFileRow } from '../../src/ledger/engine/records.ts';
import { compareControl } from '../../src/reconcile/control-totals.ts';

/**
 * How long after its file a control file counts as late, in ms. One that comes later is that of the next file of this
 * name, of a sender that writes the control file first.
 */
const LATE_MS = 86_400_000;

/** Companions looked at in one scan; the rest follow. */
const MOST = 500;

/**
 * Takes up markers and control files that came after their file was taken. A marker has nothing left to say. A control
 * file is compared with the file. What belongs to no file stays: its file may come, and `status` names it after an hour.
 */
export async function takeLateCompanions(app: App, folder: Folder, lone: readonly LoneCompanion[]): Promise<void> {
  const still = lone.filter((companion) => companion.isStill && mayBeLate(companion, folder)).slice(0, MOST);
  if (still.length === 0) return;
  const names = [...new Set(still.map(({ of }) => maskName(of)))];
  const files = new Map((await findNamesakes(app.ledger, folder.id, names)).map((file) => [file.name, file]));
  for (const companion of still) {
    const file = files.get(maskName(companion.of));
    if (!file) continue;
    const isDone =
      companion.kind === 'marker' ? noteMarker(app, folder, file) : await takeControl(app, folder, file, companion);
    if (isDone) await removeUnchanged(companion);
  }
}

/**
 * Returns whether a companion can be one that came late. Where files wait for their marker, each marker came in time: a
 * further one is left for its file. A marker with content may hold payments, so it is not removed.
 */
function mayBeLate({ kind, bytes }: LoneCompanion, { complete }: Folder): boolean {
  return kind === 'control' || (complete.by !== 'marker' && bytes === 0);
}

function noteMarker(app: App, folder: Folder, { file_id: fileId }: Namesake): true {
  app.log.info({ fileId, folder: folder.id }, 'a marker came after its file was taken; it is removed');
  return true;
}

/** @returns whether the control file has been dealt with */
async function takeControl(app: App, folder: Folder, file: Namesake, { path }: LoneCompanion): Promise<boolean> {
  const isLate = app.clock.now().getTime() - file.claimed_at.getTime() < LATE_MS;
  // A file that had its control file waits for no second one.
  if (file.control !== null || !isLate) return false;
  const [control, sha256] = [await readSidecar(path), await hashFile(path)];
  // What cannot be read stays, is named by "paydrop status", and holds the next file of this name.
  if ('fault' in control || sha256 === undefined) return false;
  return withLock(app.ledger, `file:${file.file_id}`, async () => {
    if (await addControl(app.ledger, file.file_id, control)) return true;
    const [row, stats] = [await readFileRow(app.ledger, file.file_id), await lstatOrNothing(path)];
    const says = describeDifference(row, control);
    const late = { fileId: file.file_id, kind: 'control', bytes: Number(stats?.size ?? 0), sha256 } as const;
    if ((await noteLate(app.ledger, { ...late, archive: null, says })) && says !== null)
      app.log.error({ fileId: file.file_id, folder: folder.id }, `a person must look: ${says}`);
    return true;
  });
}

/** Nothing of a refused or cancelled file is sent, so there is nothing to compare. */
function describeDifference(file: PlainFileRow, control: ControlTotals): string | null {
  if (file.state === 'rejected' || file.state === 'cancelled') return null;
  const declaredCents = (file.valid_cents ?? 0) + file.withheld_cents;
  const differences = compareControl(control, { records: file.records ?? 0, declaredCents, sha256: file.sha256 });
  if (differences.length === 0) return null;
  return `its control file came late and does not match: ${differences.join('; ')}`;
}

/** Removes a companion unless its sender has written another one meanwhile. */
async function removeUnchanged(companion: LoneCompanion): Promise<void> {
  const stats = await lstatOrNothing(companion.path);
  if (stats === undefined || !hasShape(stats, companion)) return;
  await unlink(companion.path).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw error;
  });
}
