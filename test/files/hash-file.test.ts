import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { open, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hashFile, hashOpened } from '../../src/files/open-plain-file.ts';
import { freshFolder } from './support/fresh-folder.ts';

describe('hashFile', () => {
  it.each([0, 5, 300_000])('hashes a file of %i bytes', async (size) => {
    const path = join(await freshFolder(), 'file');
    await writeFile(path, 'x'.repeat(size));
    expect(await hashFile(path)).toBe(createHash('sha256').update('x'.repeat(size)).digest('hex'));
  });

  it.each([
    [0, 3_000],
    [10, 3_000],
    [100_000, 300_000],
    [900_000, 300_000],
  ])('reads an open file to its end, also one taken for %i bytes that has %i', async (size, bytes) => {
    const path = join(await freshFolder(), 'file');
    await writeFile(path, 'x'.repeat(bytes));
    const handle = await open(path);
    expect(await hashOpened(handle.fd, size)).toBe(await hashFile(path));
    await handle.close();
  });

  it('shows the pieces on the way', async () => {
    const path = join(await freshFolder(), 'file');
    await writeFile(path, 'x'.repeat(300_000));
    let seen = 0;
    const handle = await open(path);
    const hash = await hashOpened(handle.fd, 300_000, async (pieces) => {
      for await (const piece of pieces) seen += piece.length;
    });
    await handle.close();
    expect(seen).toBe(300_000);
    expect(hash).toBe(await hashFile(path));
  });

  it.each<[string, (path: string) => unknown]>([
    ['nothing', () => undefined],
    ['a link', (path) => symlink('/etc/hostname', path)],
    ['a pipe', (path) => execFileSync('mkfifo', [path])],
  ])('has no hash for %s', async (_what, make) => {
    const path = join(await freshFolder(), 'file');
    await make(path);
    expect(await hashFile(path)).toBeUndefined();
  });
});
