import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of a given size, held in memory, in place of a folder. Only an administrator may mount one. */
export type SmallDisk = {
  resize(kib: number): void;
  /** Makes it read-only, as a system does with a faulty disk, or writable again. */
  protect(isProtected: boolean): void;
  /** Gives the folder back, empty. Call it before the folder is removed. */
  remove(): void;
};

export function mountSmallDisk(path: string, kib: number): SmallDisk {
  mkdirSync(path, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kib}k,mode=700`, 'tmpfs', path]);
  return {
    resize: (newKib) => execFileSync('mount', ['-o', `remount,size=${newKib}k`, path]),
    protect: (isProtected) => execFileSync('mount', ['-o', `remount,${isProtected ? 'ro' : 'rw'}`, path]),
    // Lazily, so that a file that is still open cannot prevent it.
    remove: () => execFileSync('umount', ['-l', path]),
  };
}

/** Returns why none can be mounted here, in the words of the system; undefined where one can. */
export function findMountRefusal(): string | undefined {
  const path = mkdtempSync(join(tmpdir(), 'paydrop-mount-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', path], { encoding: 'utf8' });
  if (mounted.status === 0) execFileSync('umount', [path]);
  rmdirSync(path);
  return mounted.status === 0 ? undefined : (mounted.error?.message ?? mounted.stderr).trim();
}
