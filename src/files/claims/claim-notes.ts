import { join } from 'node:path';
import { readPlainFile } from '../open-plain-file.ts';
import type { Candidate, Completeness, SeenFile } from '../scan-folder.ts';
import { writeDurably } from '../write-durably.ts';

/** Names inside a work folder. */
export const ORIGINAL = 'original';
export const ORIGINAL_SIDECAR = 'original.ctl';
export const NOTES = 'claim.json';

/** The drop folder settings that a claim carries: names from the configuration, never paths chosen by the sender. */
export type ClaimFolder = { id: string; account: string; operation: string };

/** What a later process needs to continue a claim. Written before the drop is moved. */
export type ClaimNotes = {
  fileId: string;
  folder: string;
  account: string;
  operation: string;
  name: string;
  completeness: Completeness;
  bytes: number;
  mtimeMs: number;
  claimedAt: string;
  sidecar?: NotedFile;
  marker?: NotedFile;
};

/** A file still to be taken from the drop folder. The path is base64 because its bytes may not be UTF-8. */
export type NotedFile = { path: string; bytes: number; mtimeMs: number };

export function noteClaim(candidate: Candidate, folder: ClaimFolder, fileId: string, now: Date): ClaimNotes {
  const { name, completeness, bytes, mtimeMs, sidecar, marker } = candidate;
  return {
    fileId,
    folder: folder.id,
    account: folder.account,
    operation: folder.operation,
    name,
    completeness,
    bytes,
    mtimeMs,
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
    ['sidecar', 'marker', 'quiet'].includes(String(value['completeness'])) &&
    hasSize(value) &&
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
