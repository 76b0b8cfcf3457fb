import type { BigIntStats } from 'node:fs';
import type { QuarantineCode } from '../../../schemas/errors.ts';

/**
 * A drop that is not a plain, unshared file and is moved aside unopened. `name` is for display, `path` holds the bytes
 * of the real path, `reason` replaces the standard sentence of the code.
 */
export type OddDrop = { name: string; path: Buffer; code: QuarantineCode; reason?: string };

/**
 * Returns why something must not be opened, or undefined for a plain file. Opening a pipe can block forever. A link can
 * lead out of the folder. A file with a second hard link can be changed through it after the checks.
 */
export function oddCodeOf(stats: BigIntStats): QuarantineCode | undefined {
  if (stats.isSymbolicLink()) return 'DROP_SYMLINK';
  if (stats.isDirectory()) return 'DROP_DIRECTORY';
  if (!stats.isFile()) return 'DROP_SPECIAL';
  return stats.nlink > 1n ? 'DROP_HARD_LINK' : undefined;
}
