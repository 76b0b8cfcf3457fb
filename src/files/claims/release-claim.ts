import { rename, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { crashPoint } from '../../kernel/crash-point.ts';
import { systemCode } from '../../kernel/errors.ts';
import { NOTES, ORIGINAL, ORIGINAL_SIDECAR } from './finish-claim.ts';
import { retire } from './retire-claim.ts';
import { explained, lstatOrNothing } from '../list-folder.ts';
import { UNFINISHED_ENDING } from '../write-durably.ts';

/**
 * Ends a claim once its bytes are sealed and recorded in the ledger: its file goes to the retired ones, all else is
 * removed. Safe to repeat. The original goes before its notes, so a crash leaves a claim or an empty one, never
 * unexplained bytes. Anything else in the folder stays, and `findClaims` reports it.
 */
export async function releaseClaim(workDir: string): Promise<void> {
  await explained(`release the claim in "${workDir}"`, async () => {
    const remove = (name: string) => () => removeFile(join(workDir, name));
    const steps = [remove(ORIGINAL_SIDECAR), () => retire(join(workDir, ORIGINAL), workDir), ...NOTE_FILES.map(remove)];
    for (const step of steps) {
      await step();
      crashPoint('release.file-removed');
    }
    await removeFolder(workDir);
  });
}

/** All files that an empty claim may hold. */
export const NOTE_FILES: readonly string[] = [NOTES + UNFINISHED_ENDING, NOTES];

/** Ending of a work folder that is being removed. */
export const REMOVED_ENDING = '.empty';

/**
 * Removes a work folder that never received a drop. A slow process may be about to move one in, so the folder is
 * renamed first and inspected afterwards. That process then finds no folder and leaves its drop in place. If a drop had
 * already arrived, the folder gets its name back.
 * @returns whether the folder is gone
 */
export async function removeEmptyClaim(workDir: string): Promise<boolean> {
  const aside = workDir.endsWith(REMOVED_ENDING) ? workDir : workDir + REMOVED_ENDING;
  try {
    if (aside !== workDir) await rename(workDir, aside);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return true;
    throw error;
  }
  if ((await lstatOrNothing(join(aside, ORIGINAL))) !== undefined) {
    await rename(aside, aside.slice(0, -REMOVED_ENDING.length));
    return false;
  }
  for (const name of NOTE_FILES) await removeFile(join(aside, name));
  return await removeFolder(aside);
}

/** Removes a file. A directory that has the name of one of our files is not ours and stays. */
async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    if ((await lstatOrNothing(path))?.isDirectory()) return;
    throw error;
  }
}

async function removeFolder(path: string): Promise<boolean> {
  try {
    await rmdir(path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return true;
    if (systemCode(error) === 'ENOTEMPTY' || systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}
