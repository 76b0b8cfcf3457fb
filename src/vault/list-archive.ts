import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../kernel/errors.ts';
import { FILE_ID } from '../kernel/ids.ts';

export type ArchivedFile = { fileId: string; path: string };

/** Every sealed original of this host, folder by folder, the oldest day first. No archive is an empty one. */
export async function* listArchive(archiveDir: string): AsyncGenerator<ArchivedFile[]> {
  for (const year of await namesIn(archiveDir)) {
    for (const month of await namesIn(join(archiveDir, year))) {
      for (const day of await namesIn(join(archiveDir, year, month))) {
        const folder = join(archiveDir, year, month, day);
        const files = (await namesIn(folder)).flatMap((name) => {
          const fileId = name.replace(/\.sealed$/, '');
          return name !== fileId && FILE_ID.test(fileId) ? [{ fileId, path: join(folder, name) }] : [];
        });
        if (files.length > 0) yield files;
      }
    }
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return [];
    throw error;
  }
}
