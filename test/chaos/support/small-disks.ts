import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { mountSmallDisk, type SmallDisk } from '../../support/small-disk.ts';

/** Folders of an installation on small disks of their own, which can be filled and freed. */
export type SmallDisks = { fill(where: string): void; free(where: string): void; remove(): void };

const SIZE_KIB = 16_384;

export function mountSmallDisks(root: string, places: readonly string[]): SmallDisks {
  const disks: SmallDisk[] = places.map((place) => mountSmallDisk(join(root, place), SIZE_KIB));
  const ballast = (where: string) => join(root, where, '.ballast');
  return {
    fill: (where) => {
      const file = openSync(ballast(where), 'w');
      const block = Buffer.alloc(4_096);
      try {
        for (;;) writeSync(file, block);
      } catch {
        // The disk is full.
      } finally {
        closeSync(file);
      }
    },
    free: (where) => rmSync(ballast(where), { force: true }),
    remove: () => {
      for (const disk of disks) disk.remove();
    },
  };
}
