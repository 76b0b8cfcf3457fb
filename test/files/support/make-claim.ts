import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { handClock } from '../../../src/kernel/clock.ts';
import { newFileId } from '../../../src/kernel/ids.ts';
import { claimDrop } from '../../../src/files/claims/claim-drop.ts';
import type { Claim, ClaimOutcome } from '../../../src/files/claims/finish-claim.ts';
import type { Candidate, CompleteBy } from '../../../src/files/scan-folder.ts';
import { freshFolders } from './fresh-folder.ts';
import { settleDrops } from './settle-drops.ts';

export const FOLDER = { id: 'cards', account: 'main', operation: 'card-charge' };

export async function tryClaim(candidate: Candidate, workRoot: string, fileId = newFileId()): Promise<ClaimOutcome> {
  const clock = handClock('2026-06-15T12:00:00Z');
  return await claimDrop(candidate, { workRoot, folder: FOLDER, clock, fileId });
}

/** Returns the only settled drop of a folder. */
export async function onlyCandidate(folder: string, complete?: CompleteBy): Promise<Candidate> {
  const { settled } = await settleDrops(folder, complete);
  const [candidate] = settled;
  if (candidate === undefined || settled.length > 1) throw new Error(`${settled.length} candidates instead of one`);
  return candidate;
}

/** Claims the only settled drop of a folder. */
export async function claimOnly(folder: string, workRoot: string, complete?: CompleteBy): Promise<Claim> {
  const outcome = await tryClaim(await onlyCandidate(folder, complete), workRoot);
  if (outcome.is !== 'claimed') throw new Error(`the drop is ${outcome.is}`);
  return outcome.claim;
}

export const COMPANIONS = { 'a.csv.ctl': 'rows=1', 'a.csv.done': '' };

/** Makes the folders of an installation, with `a.csv` and its older companions as the only settled drop. */
export async function settledDrop(companions: Readonly<Record<string, string>> = {}, complete?: CompleteBy) {
  const folders = await freshFolders();
  await writeFile(join(folders.drop, 'a.csv'), 'rows');
  for (const [name, text] of Object.entries(companions)) {
    await writeFile(join(folders.drop, name), text);
    await utimes(join(folders.drop, name), 1_750_000_000, 1_750_000_000);
  }
  return { ...folders, candidate: await onlyCandidate(folders.drop, complete) };
}

/** Does the same and claims the drop. */
export async function claimedDrop(companions?: Readonly<Record<string, string>>, complete?: CompleteBy) {
  const { candidate, ...folders } = await settledDrop(companions, complete);
  const outcome = await tryClaim(candidate, folders.work);
  if (outcome.is !== 'claimed') throw new Error(`the drop is ${outcome.is}`);
  return { ...folders, claim: outcome.claim };
}
