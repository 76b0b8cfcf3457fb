import { mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolders } from '../../src/kernel/make-folders.ts';
import { freshFolder } from '../files/support/fresh-folder.ts';

describe('makeFolders', () => {
  it('makes what is missing, with the rights asked for, and may be done again and by several at once', async () => {
    const folder = join(await freshFolder(), 'a', 'b');
    await Promise.all([makeFolders(folder, 0o700), makeFolders(folder, 0o700)]);
    await makeFolders(folder);
    for (const dir of [folder, join(folder, '..')]) expect((await stat(dir)).mode & 0o777).toBe(0o700);
    await makeFolders('/');
  });

  it.each([
    ['file', 'EEXIST'],
    ['file/below', 'ENOTDIR'],
    ['nowhere', 'EEXIST'],
  ])('fails where it cannot: %s', async (name, code) => {
    const root = await freshFolder();
    await writeFile(join(root, 'file'), '');
    await symlink(join(root, 'gone'), join(root, 'nowhere'));
    await expect(makeFolders(join(root, name))).rejects.toMatchObject({ code });
  });

  it.runIf(process.platform === 'linux')('does not try for ever where a link leads into the system', async () => {
    const root = await freshFolder();
    await mkdir(join(root, 'real'));
    await symlink('/proc', join(root, 'link'));
    await expect(makeFolders(join(root, 'link', 'x', 'y'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
