import { execFileSync } from 'node:child_process';
import { link, lstat, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { oddCodeOf } from '../../../src/files/claims/odd-drop.ts';
import { freshFolder } from '../support/fresh-folder.ts';

describe('oddCodeOf', () => {
  it.each<[string, string | undefined, (path: string) => unknown]>([
    ['a plain file', undefined, (path) => writeFile(path, 'rows')],
    ['an empty file', undefined, (path) => writeFile(path, '')],
    ['a link to a file', 'DROP_SYMLINK', (path) => symlink('/etc/hostname', path)],
    ['a link to nothing', 'DROP_SYMLINK', (path) => symlink('/nowhere', path)],
    ['a folder', 'DROP_DIRECTORY', (path) => mkdir(path)],
    ['a pipe', 'DROP_SPECIAL', (path) => execFileSync('mkfifo', [path])],
    ['a file with a second name', 'DROP_HARD_LINK', (path) => writeFile(path, '').then(() => link(path, `${path}2`))],
  ])('calls %s %s', async (_kind, code, make) => {
    const path = join(await freshFolder(), 'drop');
    await make(path);
    expect(oddCodeOf(await lstat(path, { bigint: true }))).toBe(code);
  });

  it('calls a device DROP_SPECIAL', async () => {
    expect(oddCodeOf(await lstat('/dev/null', { bigint: true }))).toBe('DROP_SPECIAL');
  });
});
