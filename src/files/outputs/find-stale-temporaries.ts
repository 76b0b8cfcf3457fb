import type { Clock } from '../../kernel/clock.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { type FolderEntry, listFolder } from '../list-folder.ts';
import { TEMPORARY_OUTPUT } from './output-draft.ts';

/**
 * Lists what processes killed while writing an output have left in a folder. Younger files are spared, because another
 * process may still be writing them. A missing folder has none.
 */
export async function findStaleTemporaries(
  dir: string,
  options: { olderThanMs: number; clock: Clock },
): Promise<FolderEntry[]> {
  const latestMs = options.clock.now().getTime() - options.olderThanMs;
  return (await listOutputs(dir)).filter(
    ({ key, stats }) => TEMPORARY_OUTPUT.test(key) && stats.isFile() && Number(stats.mtimeMs) < latestMs,
  );
}

async function listOutputs(dir: string): Promise<FolderEntry[]> {
  try {
    return await listFolder(dir);
  } catch (error) {
    if (error instanceof PipelineError && error.code === 'FOLDER_MISSING') return [];
    throw error;
  }
}
