import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { BOOK_FILE } from './open-books.ts';

/**
 * Empties the books in a folder. Nothing of them is on disk when the promise resolves. The secret stays.
 * @param folder its books must not be open
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
