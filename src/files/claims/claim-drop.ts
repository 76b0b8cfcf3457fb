import { mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import { crashPoint } from '../../kernel/crash-point.ts';
import { systemCode } from '../../kernel/errors.ts';
import { type ClaimFolder, noteClaim, ORIGINAL, writeNotes, type ClaimNotes } from './claim-notes.ts';
import { explainSystemError } from '../explain-system-error.ts';
import { type ClaimOutcome, finishClaim } from './finish-claim.ts';
import { lstatOrNothing } from '../list-folder.ts';
import { removeEmptyClaim } from './release-claim.ts';
import type { Candidate } from '../scan-folder.ts';
import { syncFolder } from '../write-durably.ts';

export type ClaimOptions = { workRoot: string; folder: ClaimFolder; clock: Clock; fileId: string };

/**
 * Takes a settled drop into `<workRoot>/<fileId>/`. The one rename decides between processes: whoever comes
 * second finds nothing and gets `gone`. The notes are on disk before it, so a claim found after a crash explains itself.
 *
 * `fileId` must be new. After `gone` nothing is left in the work folder; a process killed on the way leaves what
 * findClaims picks up. After `disturbed` the drop is still in its place, or will be found in the work folder: look again.
 * @throws PipelineError FOLDER_OTHER_DISK, FOLDER_NOT_WRITABLE, FOLDER_MISSING, DISK_FULL; the drop then stays where it
 * is, or is found by findClaims when it had been moved already
 */
export async function claimDrop(candidate: Candidate, options: ClaimOptions): Promise<ClaimOutcome> {
  const workDir = join(options.workRoot, options.fileId);
  const notes = noteClaim(candidate, options.folder, options.fileId, options.clock.now());
  const action = `claim a drop of folder "${options.folder.id}"`;
  try {
    // Most losers of a race stop here and cost no write.
    if ((await lstatOrNothing(candidate.path)) === undefined) return { is: 'gone' };
    await mkdir(workDir, { mode: 0o700 });
    crashPoint('claim.folder-made');
  } catch (error) {
    throw explainSystemError(error, action);
  }
  let isMoved = false;
  try {
    await takeDrop(candidate, workDir, notes, () => (isMoved = true));
    return await finishClaim(workDir, notes);
  } catch (error) {
    // Should this fail as well, the folder waits for findClaims; the first error is the one worth telling.
    await removeEmptyClaim(workDir).catch(() => undefined);
    // The drop went to another process, or a sweep took our folder for that of a dead one.
    if (systemCode(error) === 'ENOENT') return { is: isMoved || (await isInPlace(candidate)) ? 'disturbed' : 'gone' };
    throw explainSystemError(error, action);
  }
}

async function isInPlace({ path }: Candidate): Promise<boolean> {
  return (await lstatOrNothing(path).catch(() => undefined)) !== undefined;
}

async function takeDrop(candidate: Candidate, workDir: string, notes: ClaimNotes, moved: () => void): Promise<void> {
  await writeNotes(workDir, notes);
  crashPoint('claim.notes-written');
  await syncFolder(dirname(workDir));
  await rename(candidate.path, join(workDir, ORIGINAL));
  moved();
  crashPoint('claim.renamed');
  // Before the marker goes. Without one, finishClaim does it next.
  if (notes.sidecar ?? notes.marker) await syncFolder(workDir);
  await syncFolder(folderOf(candidate.path));
  crashPoint('claim.durable');
}

/** The folder of a path whose bytes need not be UTF-8. */
function folderOf(path: Buffer): Buffer {
  return Buffer.from(dirname(path.toString('latin1')), 'latin1');
}
