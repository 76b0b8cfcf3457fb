import { rm } from 'node:fs/promises';
import type { Clock } from '../../kernel/clock.ts';
import { findStaleTemporaries } from './find-stale-temporaries.ts';

/**
 * Removes what processes killed while writing an output have left in a folder.
 * @returns how many were removed
 */
export async function removeStaleTemporaries(
  dir: string,
  options: { olderThanMs: number; clock: Clock },
): Promise<number> {
  const stale = await findStaleTemporaries(dir, options);
  for (const { path } of stale) await rm(path, { force: true });
  return stale.length;
}
