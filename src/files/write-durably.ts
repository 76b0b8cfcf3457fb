import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crashPoint } from '../kernel/crash-point.ts';
import { syncFolder } from '../kernel/folders.ts';

/** Ending of what a killed `writeDurably` leaves behind. */
export const UNFINISHED_ENDING = '.tmp';

/** Writes a small text file that is absent or whole after a power cut, and readable only by our user. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const temporary = path + UNFINISHED_ENDING;
  const handle = await open(temporary, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  crashPoint('notes.draft-written');
  await rename(temporary, path);
  await syncFolder(dirname(path));
}
