import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../kernel/errors.ts';
import { FILE_ID } from '../../kernel/ids.ts';
import {
  type Claim,
  type ClaimOutcome,
  finishClaim,
  inspectClaim,
  ORIGINAL,
  readNotes,
  toClaim,
} from './finish-claim.ts';
import { explainSystemError, type FolderEntry, listFolder, lstatOrNothing } from '../list-folder.ts';
import type { OddDrop } from './odd-drop.ts';
import { RETIRED } from './retire-claim.ts';
import { NOTE_FILES, REMOVED_ENDING, removeEmptyClaim } from './release-claim.ts';

/**
 * What a work folder holds.
 * - `claims`: to continue. Another process may be at work on one; the ledger's unique file id decides.
 * - `empty`: no drop was moved in. Pass these to `removeEmptyClaim`; never delete them recursively, because a live
 *   process may still move its drop in.
 * - `strange`: not ours, or the claimed thing is not a plain file. To be quarantined.
 */
export type FoundClaims = { claims: Claim[]; empty: string[]; strange: OddDrop[] };

/**
 * Inspects every folder in the work folder, at startup and at each sweep. Finishes what a crash cut short: a sidecar
 * not yet taken, a marker not yet removed.
 */
export async function findClaims(workRoot: string): Promise<FoundClaims> {
  const found: FoundClaims = { claims: [], empty: [], strange: [] };
  for (const entry of await listFolder(workRoot, (key) => key !== RETIRED)) {
    if (!entry.stats.isDirectory()) continue;
    const finding = await inspectFolder(workRoot, entry);
    if (finding.is === 'claimed') found.claims.push(finding.claim);
    if (finding.is === 'empty') found.empty.push(finding.workDir);
    if (finding.is === 'odd') found.strange.push(finding.drop);
  }
  return found;
}

/**
 * Reads the claim of one file in its current state. A claimed thing that is no longer a plain file counts as changed.
 * @returns undefined when there is no claim (any more) or its notes cannot be read
 */
export async function readClaim(workRoot: string, fileId: string): Promise<Claim | undefined> {
  // A sweep may move the folder aside for a moment and then back.
  for (const name of [fileId, fileId + REMOVED_ENDING, fileId]) {
    const claim = await readClaimIn(join(workRoot, name), fileId);
    if (claim) return claim;
  }
  return undefined;
}

async function readClaimIn(workDir: string, fileId: string): Promise<Claim | undefined> {
  try {
    const notes = await readNotes(workDir);
    if (notes?.fileId !== fileId) return undefined;
    const outcome = await inspectClaim(workDir, notes);
    if (outcome.is === 'gone') return undefined;
    return outcome.is === 'claimed' ? outcome.claim : toClaim(workDir, notes, true);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw explainSystemError(error, `read the claim of file "${fileId}"`);
  }
}

type Finding = ClaimOutcome | { is: 'empty'; workDir: string };

/** Turns a permission error into a finding, so that one unreadable folder does not hide the others. */
async function inspectFolder(workRoot: string, entry: FolderEntry): Promise<Finding> {
  try {
    return await readFolder(workRoot, entry);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { is: 'gone' };
    if (systemCode(error) === 'EACCES') return strange(entry, 'paydrop is not allowed to read the work folder');
    throw explainSystemError(error, `read the claims in "${workRoot}"`);
  }
}

async function readFolder(workRoot: string, entry: FolderEntry): Promise<Finding> {
  const fileId = entry.key.endsWith(REMOVED_ENDING) ? entry.key.slice(0, -REMOVED_ENDING.length) : entry.key;
  if (!FILE_ID.test(fileId)) return strange(entry, 'the entry in the work folder is not a claim');

  const names = await readdir(entry.path);
  const workDir = join(workRoot, fileId);
  if (names.every((name) => NOTE_FILES.includes(name))) return { is: 'empty', workDir: join(workRoot, entry.key) };
  if (!names.includes(ORIGINAL)) return strange(entry, 'the work folder holds no claimed file');
  // A removal was cut short after a drop had been moved in; this call puts the folder back.
  if (entry.key !== fileId) await removeEmptyClaim(join(workRoot, entry.key));

  const notes = await readNotes(workDir);
  if (notes?.fileId === fileId) return await finishClaim(workDir, notes);
  // A release removes the notes last. If the bytes are gone too, another process has just released the claim.
  if ((await lstatOrNothing(join(workDir, ORIGINAL))) === undefined) return { is: 'gone' };
  return strange(entry, 'the notes of the claim are missing or unreadable');
}

function strange({ name, path }: FolderEntry, reason: string): Finding {
  return { is: 'odd', drop: { name, path, code: 'DROP_DIRECTORY', reason } };
}

/**
 * Counts the drops that have left their folder and still lie in a work folder. Until the ledger has decided about a
 * file, its claim is its only trace. Folders are matched by name, so claims being made or released count too.
 * @param except ids of files that do not count
 * @throws PipelineError FOLDER_MISSING, FOLDER_NOT_WRITABLE
 */
export async function countClaims(workRoots: Iterable<string>, except: readonly string[] = []): Promise<number> {
  const list = (root: string) => listFolder(root, (key) => FILE_ID.test(key));
  const lists = await Promise.all([...new Set(workRoots)].map(list));
  return lists.flat().filter(({ name, stats }) => stats.isDirectory() && !except.includes(name)).length;
}
