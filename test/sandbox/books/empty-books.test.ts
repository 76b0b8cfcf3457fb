import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyBooks } from '../../../src/sandbox/books/empty-books.ts';
import { BOOK_FILE, openBooks } from '../../../src/sandbox/books/open-books.ts';
import { submitBatch } from '../support/soap-request.ts';
import { useSandboxes } from '../support/sandbox-world.ts';

const world = useSandboxes();

describe('emptyBooks', () => {
  it('leaves an empty file and the secret', async () => {
    const dataDir = await world.folder();
    const sandbox = await world.start({ dataDir });
    await submitBatch(sandbox.url, 'ProcessACHEFTChargeBatch', 'a');
    await sandbox.close();
    const secret = await readFile(join(dataDir, 'secret'));
    await emptyBooks(dataDir);
    expect(await readFile(join(dataDir, BOOK_FILE), 'utf8')).toBe('');
    expect(await readFile(join(dataDir, 'secret'))).toEqual(secret);
    const books = await openBooks(dataDir);
    expect(books.rows()).toEqual([]);
    await books.close();
  });

  it('fails where there are no books', async () => {
    await expect(emptyBooks(await world.folder())).rejects.toThrow('ENOENT');
  });
});
