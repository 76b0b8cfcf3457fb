import { lstat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFolder, lstatOrNothing } from '../../src/files/list-folder.ts';
import { bytePath, freshFolder } from './support/fresh-folder.ts';

describe('listFolder', () => {
  it('keeps names apart that look alike, and reaches each file by its bytes', async () => {
    const folder = await freshFolder();
    const names = [Buffer.from('caf\xe9.csv', 'latin1'), Buffer.from('caf\xe8.csv', 'latin1'), Buffer.from('café.csv')];
    for (const [index, name] of names.entries()) await writeFile(bytePath(folder, name), 'x'.repeat(index));
    const entries = await listFolder(folder);
    expect(new Set(entries.map(({ key }) => key)).size).toBe(3);
    for (const { path, stats } of entries) {
      expect((await lstat(path, { bigint: true })).ino).toBe(stats.ino);
    }
  });

  it('does not follow links', async () => {
    const folder = await freshFolder();
    await symlink('/etc', join(folder, 'link'));
    const [entry] = await listFolder(folder);
    expect(entry?.stats.isSymbolicLink()).toBe(true);
  });

  it('refuses a folder that does not exist', async () => {
    await expect(listFolder(join(await freshFolder(), 'none'))).rejects.toMatchObject({ code: 'FOLDER_MISSING' });
  });
});

describe('lstatOrNothing', () => {
  it('finds nothing where nothing is', async () => {
    expect(await lstatOrNothing(join(await freshFolder(), 'none'))).toBeUndefined();
  });

  it('throws when it cannot tell', async () => {
    const file = join(await freshFolder(), 'file');
    await writeFile(file, '');
    await expect(lstatOrNothing(join(file, 'below'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });
});
