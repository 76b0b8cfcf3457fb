import { rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { crashPoint } from '../../kernel/crash-point.ts';
import { systemCode } from '../../kernel/errors.ts';
import { type ClaimNotes, type NotedFile, ORIGINAL, ORIGINAL_SIDECAR } from './claim-notes.ts';
import { explainSystemError } from '../explain-system-error.ts';
import { lstatOrNothing } from '../list-folder.ts';
import { type OddDrop, oddCodeOf } from './odd-drop.ts';
import { syncFolder } from '../write-durably.ts';

/**
 * A drop that is ours.
 * `path`    the claimed bytes
 * `sidecar` where its control file lies; set whenever one was seen with the drop, also if it vanished before it could be
 *           taken, so that readSidecar reports it instead of the file going on unchecked
 * `changed` size or time differ from those that settled: hold the file as MODIFIED_AFTER_CLAIM
 */
export type Claim = {
  fileId: string;
  workDir: string;
  path: string;
  sidecar?: string;
  changed: boolean;
  notes: ClaimNotes;
};

/**
 * `gone`: somebody else has it. `disturbed`: nobody has it yet, for a sweep took the work folder of the claim for that of a
 * dead process. `odd`: what was moved is not a plain file (any more); the drop named is the whole work folder, to be
 * quarantined with its notes.
 */
export type ClaimOutcome =
  | { is: 'claimed'; claim: Claim }
  | { is: 'gone' | 'disturbed' }
  | { is: 'odd'; drop: OddDrop };

/**
 * What follows the rename of a drop: its sidecar comes along, its marker goes, and what was moved is looked at again,
 * because it may have been exchanged since it settled. May be repeated after a crash, also by two processes at once.
 */
export async function finishClaim(workDir: string, notes: ClaimNotes): Promise<ClaimOutcome> {
  if (notes.sidecar) await takeSidecar(notes.sidecar, join(workDir, ORIGINAL_SIDECAR));
  crashPoint('claim.sidecar-taken');
  if (notes.marker) await removeMarker(notes.marker, notes.folder);
  crashPoint('claim.marker-removed');
  await syncFolder(workDir);
  return inspectClaim(workDir, notes);
}

/** What lies in the work folder of a finished claim now. */
export async function inspectClaim(workDir: string, notes: ClaimNotes): Promise<ClaimOutcome> {
  const stats = await lstatOrNothing(join(workDir, ORIGINAL));
  if (stats === undefined) return { is: 'gone' };
  const code = oddCodeOf(stats);
  if (code !== undefined) return { is: 'odd', drop: { name: notes.name, path: Buffer.from(workDir), code } };
  const changed = Number(stats.size) !== notes.bytes || Number(stats.mtimeMs) !== notes.mtimeMs;
  return { is: 'claimed', claim: toClaim(workDir, notes, changed) };
}

export function toClaim(workDir: string, notes: ClaimNotes, changed: boolean): Claim {
  return {
    fileId: notes.fileId,
    workDir,
    path: join(workDir, ORIGINAL),
    ...(notes.sidecar && { sidecar: join(workDir, ORIGINAL_SIDECAR) }),
    changed,
    notes,
  };
}

/**
 * A sidecar that cannot be moved stays behind and its file is held for want of it; throwing here would stop every other
 * claim at each start.
 */
async function takeSidecar(noted: NotedFile, target: string): Promise<void> {
  const path = Buffer.from(noted.path, 'base64');
  try {
    if (await isStillThere(path, noted)) await rename(path, target);
  } catch (error) {
    if (!LEFT_BEHIND.has(systemCode(error) ?? '')) throw error;
    // Its place is missing and not itself: a sweep that took the work folder for empty puts it back at once. Later, then.
    if (systemCode(error) === 'ENOENT' && (await isStillThere(path, noted))) throw error;
  }
}

const LEFT_BEHIND = new Set(['ENOENT', 'EACCES', 'EPERM']);

/** A marker left behind would announce the next file of that name before it is whole, so a refusal is an error. */
async function removeMarker(noted: NotedFile, folder: string): Promise<void> {
  const path = Buffer.from(noted.path, 'base64');
  try {
    if (await isStillThere(path, noted)) await unlink(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    throw explainSystemError(error, `remove the marker of a drop from folder "${folder}"`);
  }
}

/** After a crash the sender may have dropped the next file of the same name; its sidecar and marker are not ours. */
async function isStillThere(path: Buffer, noted: NotedFile): Promise<boolean> {
  const stats = await lstatOrNothing(path);
  return stats !== undefined && Number(stats.size) === noted.bytes && Number(stats.mtimeMs) === noted.mtimeMs;
}
