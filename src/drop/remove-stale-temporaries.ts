import { rm } from 'node:fs/promises';
import type { Clock } from '../kernel/clock.ts';
import { PipelineError } from '../kernel/errors.ts';
import { listFolder } from './list-folder.ts';
import { TEMPORARY_OUTPUT } from './write-output.ts';

/**
 * Removes what processes killed while writing an output have left in a folder. Younger ones are spared, because another
 * process may still be writing them. A folder that does not exist has none.
 * @returns how many were removed
 */
export async function removeStaleTemporaries(
  dir: string,
  options: { olderThanMs: number; clock: Clock },
): Promise<number> {
  const latestMs = options.clock.now().getTime() - options.olderThanMs;
  const stale = (await listOutputs(dir)).filter(
    ({ key, stats }) => TEMPORARY_OUTPUT.test(key) && stats.isFile() && Number(stats.mtimeMs) < latestMs,
  );
  for (const { path } of stale) await rm(path, { force: true });
  return stale.length;
}

async function listOutputs(dir: string): ReturnType<typeof listFolder> {
  try {
    return await listFolder(dir);
  } catch (error) {
    if (error instanceof PipelineError && error.code === 'FOLDER_MISSING') return [];
    throw error;
  }
}
