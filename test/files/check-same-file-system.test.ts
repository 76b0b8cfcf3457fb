import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkSameFileSystem } from '../../src/files/check-same-file-system.ts';
import { freshFolderElsewhere, freshFolders } from './support/fresh-folder.ts';

describe('checkSameFileSystem', () => {
  it('passes where a drop can be claimed, and leaves nothing behind', async () => {
    const { drop, work } = await freshFolders();
    await checkSameFileSystem(drop, work);
    expect([...(await readdir(drop)), ...(await readdir(work))]).toEqual([]);
  });

  it('refuses a work folder on another file system, and leaves nothing behind', async () => {
    const { drop } = await freshFolders();
    const work = await freshFolderElsewhere();
    await expect(checkSameFileSystem(drop, work)).rejects.toMatchObject({ code: 'FOLDER_OTHER_DISK' });
    expect([...(await readdir(drop)), ...(await readdir(work))]).toEqual([]);
  });

  it('refuses folders that are not there', async () => {
    const { drop, work } = await freshFolders();
    await expect(checkSameFileSystem(join(drop, 'none'), work)).rejects.toMatchObject({
      code: 'FOLDER_MISSING',
      message: expect.stringContaining(
        `Cannot write into the folder "${join(drop, 'none')}": a folder does not exist.`,
      ),
    });
    await expect(checkSameFileSystem(drop, join(work, 'none'))).rejects.toMatchObject({ code: 'FOLDER_MISSING' });
    expect(await readdir(drop)).toEqual([]);
  });
});
