import { rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { COMPLETENESS, type Completeness } from '../../../schemas/lifecycle.ts';
import { FOLDER_OPERATIONS, type FolderOperation } from '../../../schemas/operations.ts';
import { crashPoint } from '../../kernel/crash-point.ts';
import { systemCode } from '../../kernel/errors.ts';
import { explainSystemError, hasShape, lstatNow, lstatOrNothing } from '../list-folder.ts';
import { oddCodeOf, type OddDrop } from './odd-drop.ts';
import { syncFolder } from '../../kernel/folders.ts';
import { readPlainFile } from '../open-plain-file.ts';
import type { Candidate, SeenFile } from '../scan-folder.ts';
import { writeDurably } from '../write-durably.ts';

/**
 * A drop that this installation has claimed.
 * - `path`: the claimed bytes.
 * - `sidecar`: where its control file belongs. Set whenever one was seen with the drop, even if it vanished before it
 *   was taken. `readSidecar` then reports it, and the file does not pass unchecked.
 * - `changed`: size or time differ from those that settled; hold the file as MODIFIED_AFTER_CLAIM.
 */
export type Claim = {
  fileId: string;
  workDir: string;
  path: string;
  sidecar?: string;
  changed: boolean;
  notes: ClaimNotes;
  /** Name under which it is taken in, when the account in its notes has another by now. */
  account?: string;
};

/**
 * `gone`: another process has the drop. `disturbed`: no process has it yet, because a sweep mistook the work folder for
 * that of a dead process. `odd`: what was moved is not a plain file; `drop` is then the whole work folder, to be
 * quarantined with its notes.
 */
export type ClaimOutcome =
  | { is: 'claimed'; claim: Claim }
  | { is: 'gone' | 'disturbed' }
  | { is: 'odd'; drop: OddDrop };

/**
 * Completes a claim after the rename: takes the sidecar, removes the marker, and inspects the moved file again, as it
 * may have been swapped. Safe to repeat after a crash and from two processes at once.
 */
export async function finishClaim(workDir: string, notes: ClaimNotes): Promise<ClaimOutcome> {
  if (notes.sidecar) await takeSidecar(notes.sidecar, join(workDir, ORIGINAL_SIDECAR));
  crashPoint('claim.sidecar-taken');
  if (notes.marker) await removeMarker(notes.marker, notes.folder);
  crashPoint('claim.marker-removed');
  await syncFolder(workDir);
  return inspectClaim(workDir, notes);
}

/** Returns the folder of a path whose bytes may not be UTF-8. */
export function folderOf(path: Buffer): Buffer {
  return Buffer.from(dirname(path.toString('latin1')), 'latin1');
}

/** Inspects what the work folder of a finished claim holds now. */
export async function inspectClaim(workDir: string, notes: ClaimNotes): Promise<ClaimOutcome> {
  const stats = lstatNow(join(workDir, ORIGINAL));
  if (stats === undefined) return { is: 'gone' };
  const code = oddCodeOf(stats);
  if (code !== undefined) return { is: 'odd', drop: { name: notes.name, path: Buffer.from(workDir), code } };
  return { is: 'claimed', claim: toClaim(workDir, notes, !hasShape(stats, notes)) };
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
 * Moves the sidecar into the work folder. One that cannot be moved stays behind, and its file is held for lack of it.
 * Throwing here would stop every other claim at each start.
 */
async function takeSidecar(noted: NotedFile, target: string): Promise<void> {
  const path = Buffer.from(noted.path, 'base64');
  try {
    if (await isStillThere(path, noted)) await rename(path, target);
  } catch (error) {
    if (!LEFT_BEHIND.has(systemCode(error) ?? '')) throw error;
    // The target folder is missing, not the sidecar: a sweep took it for empty and puts it back at once. Retry later.
    if (systemCode(error) === 'ENOENT' && (await isStillThere(path, noted))) throw error;
  }
}

const LEFT_BEHIND = new Set(['ENOENT', 'EACCES', 'EPERM']);

/**
 * Removes the marker for good. A refusal is an error: a leftover marker, also one that a power cut brings back, would
 * announce the next file of that name too early.
 */
async function removeMarker(noted: NotedFile, folder: string): Promise<void> {
  const path = Buffer.from(noted.path, 'base64');
  try {
    if (await isStillThere(path, noted)) await unlink(path);
    await syncFolder(folderOf(path));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    throw explainSystemError(error, `remove the marker of a drop from folder "${folder}"`);
  }
}

/**
 * Returns whether the noted file is unchanged. After a crash the sender may have dropped a new file of the same name,
 * whose sidecar and marker do not belong to this claim.
 */
async function isStillThere(path: Buffer, noted: NotedFile): Promise<boolean> {
  const stats = await lstatOrNothing(path);
  return stats !== undefined && hasShape(stats, noted);
}

/** Names inside a work folder. */
export const ORIGINAL = 'original';
export const ORIGINAL_SIDECAR = 'original.ctl';
export const NOTES = 'claim.json';

/** The drop folder settings that a claim carries: names from the configuration, never paths chosen by the sender. */
export type ClaimFolder = { id: string; account: string; operation: FolderOperation };

/** What a later process needs to continue a claim. Written before the drop is moved. */
export type ClaimNotes = {
  fileId: string;
  folder: string;
  account: string;
  /** Whom the account meant then (meaningKey); absent when the ledger did not know. */
  merchant?: string;
  operation: FolderOperation;
  name: string;
  completeness: Completeness;
  bytes: number;
  mtimeMs: number;
  /** When it was first seen in its folder, in ms since 1970. */
  sinceMs: number;
  claimedAt: string;
  sidecar?: NotedFile;
  marker?: NotedFile;
};

/** A file still to be taken from the drop folder. The path is base64 because its bytes may not be UTF-8. */
type NotedFile = { path: string; bytes: number; mtimeMs: number };

export function noteClaim(
  candidate: Candidate,
  { folder, fileId, merchant }: { folder: ClaimFolder; fileId: string; merchant?: string | undefined },
  now: Date,
): ClaimNotes {
  const { name, completeness, bytes, mtimeMs, sinceMs, sidecar, marker } = candidate;
  return {
    fileId,
    folder: folder.id,
    account: folder.account,
    ...(merchant !== undefined && { merchant }),
    operation: folder.operation,
    name,
    completeness,
    bytes,
    mtimeMs,
    sinceMs,
    claimedAt: now.toISOString(),
    ...(sidecar && { sidecar: noteFile(sidecar) }),
    ...(marker && { marker: noteFile(marker) }),
  };
}

function noteFile({ path, bytes, mtimeMs }: SeenFile): NotedFile {
  return { path: path.toString('base64'), bytes, mtimeMs };
}

export async function writeNotes(workDir: string, notes: ClaimNotes): Promise<void> {
  await writeDurably(join(workDir, NOTES), `${JSON.stringify(notes, null, 2)}\n`);
}

/** @returns undefined when there are no notes or they are not ours */
export async function readNotes(workDir: string): Promise<ClaimNotes | undefined> {
  const bytes = await readPlainFile(join(workDir, NOTES), LARGEST_NOTES_BYTES);
  if (bytes === undefined) return undefined;
  try {
    const notes: unknown = JSON.parse(bytes.toString());
    return isNotes(notes) ? notes : undefined;
  } catch {
    return undefined;
  }
}

/** Far above what two paths of maximum length need. */
const LARGEST_NOTES_BYTES = 65_536;

function isNotes(value: unknown): value is ClaimNotes {
  if (!isObject(value)) return false;
  const texts = ['fileId', 'folder', 'account', 'operation', 'name', 'claimedAt'];
  return (
    texts.every((key) => typeof value[key] === 'string') &&
    Object.hasOwn(FOLDER_OPERATIONS, String(value['operation'])) &&
    Object.hasOwn(COMPLETENESS, String(value['completeness'])) &&
    hasSize(value) &&
    Number.isSafeInteger(value['sinceMs']) &&
    (value['merchant'] === undefined || typeof value['merchant'] === 'string') &&
    ['sidecar', 'marker'].every((key) => value[key] === undefined || isNotedFile(value[key]))
  );
}

function isNotedFile(value: unknown): boolean {
  return isObject(value) && typeof value['path'] === 'string' && hasSize(value);
}

function hasSize(value: Record<string, unknown>): boolean {
  return Number.isSafeInteger(value['bytes']) && Number.isSafeInteger(value['mtimeMs']);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
