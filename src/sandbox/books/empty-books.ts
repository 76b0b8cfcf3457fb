import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { BOOK_FILE } from './open-books.ts';

/**
 * Empties the books in a folder. When the promise is fulfilled nothing of them is on the disk. The secret stays.
 * @param folder whose books nobody has open
 */
export async function emptyBooks(folder: string): Promise<void> {
  const file = await open(join(folder, BOOK_FILE), 'r+');
  try {
    await file.truncate(0);
    await file.sync();
  } finally {
    await file.close();
  }
}
