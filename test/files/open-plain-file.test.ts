import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openPlainFile, readPlainFile } from '../../src/files/open-plain-file.ts';
import { freshFolder } from './support/fresh-folder.ts';

describe('openPlainFile', () => {
  it('opens a plain file for reading', async () => {
    const path = join(await freshFolder(), 'file');
    await writeFile(path, 'text');
    const handle = await openPlainFile(path);
    expect(await handle?.readFile('utf8')).toBe('text');
    await handle?.close();
  });

  it.each<[string, (path: string) => unknown]>([
    ['nothing', () => undefined],
    ['a link to a file', (path) => symlink('/etc/hostname', path)],
    ['a folder', (path) => mkdir(path)],
    ['a pipe without a writer', (path) => execFileSync('mkfifo', [path])],
  ])('does not open %s', async (_what, make) => {
    const path = join(await freshFolder(), 'file');
    await make(path);
    expect(await openPlainFile(path)).toBeUndefined();
  });
});

describe('readPlainFile', () => {
  it.each([
    [0, true],
    [99, true],
    [100, true],
    [101, false],
    [100_000, false],
  ])('reads of %i bytes with a limit of 100: %s', async (size, taken) => {
    const path = join(await freshFolder(), 'file');
    await writeFile(path, 'x'.repeat(size));
    expect((await readPlainFile(path, 100))?.length).toBe(taken ? size : undefined);
  });
});
