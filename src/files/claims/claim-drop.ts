import { constants } from 'node:fs';
import { access, mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import { crashPoint } from '../../kernel/crash-point.ts';
import { PipelineError, systemCode } from '../../kernel/errors.ts';
import {
  type ClaimFolder,
  type ClaimNotes,
  type ClaimOutcome,
  finishClaim,
  folderOf,
  noteClaim,
  ORIGINAL,
  writeNotes,
} from './finish-claim.ts';
import { explainSystemError, lstatOrNothing } from '../list-folder.ts';
import { removeEmptyClaim } from './release-claim.ts';
import type { Candidate } from '../scan-folder.ts';
import { syncFolder } from '../../kernel/folders.ts';

/** `merchant`: whom the account of the folder means, see ClaimNotes. */
export type ClaimOptions = {
  workRoot: string;
  folder: ClaimFolder;
  clock: Clock;
  fileId: string;
  merchant?: string | undefined;
};

/**
 * Takes a settled drop into `<workRoot>/<fileId>/`. A single rename decides between processes: the loser finds nothing
 * and gets `gone`. The notes reach the disk first, so a claim found after a crash explains itself.
 * `fileId` must be new. After `gone` the work folder holds nothing of this claim. `findClaims` picks up the remains of
 * a killed process. After `disturbed` the drop is in its place or in the work folder: scan again.
 * @throws PipelineError FOLDER_OTHER_DISK, FOLDER_NOT_WRITABLE, FOLDER_MISSING, DISK_FULL; the drop is then still in
 * its place, or already moved and found by `findClaims`
 */
export async function claimDrop(candidate: Candidate, options: ClaimOptions): Promise<ClaimOutcome> {
  const workDir = join(options.workRoot, options.fileId);
  const notes = noteClaim(candidate, options, options.clock.now());
  const action = `claim a drop of folder "${options.folder.id}"`;
  try {
    // Most losers of a race stop here, without a write.
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
    // If this fails too, `findClaims` handles the folder later; the first error is the useful one.
    await removeEmptyClaim(workDir).catch(() => undefined);
    // Another process took the drop, or a sweep mistook our folder for that of a dead process.
    if (systemCode(error) === 'ENOENT') return { is: isMoved || (await isInPlace(candidate)) ? 'disturbed' : 'gone' };
    throw explainRefusal(error, action, await areWritable([dirname(workDir), folderOf(candidate.path)]));
  }
}

/** A file server refuses to rename a locked file with EACCES, as if its folder could not be written to. */
export function explainRefusal(error: unknown, action: string, isWritable: boolean): Error {
  if (systemCode(error) === 'EACCES' && isWritable) return new PipelineError('DROP_LOCKED', action);
  return explainSystemError(error, action);
}

async function areWritable(folders: readonly (string | Buffer)[]): Promise<boolean> {
  return Promise.all(folders.map((folder) => access(folder, constants.W_OK | constants.X_OK))).then(
    () => true,
    () => false,
  );
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
  // This must happen before the marker is removed. Without sidecar or marker, `finishClaim` syncs next.
  if (notes.sidecar ?? notes.marker) await syncFolder(workDir);
  await syncFolder(folderOf(candidate.path));
  crashPoint('claim.durable');
}
