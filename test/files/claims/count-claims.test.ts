import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countClaims } from '../../../src/files/claims/find-claims.ts';
import { newFileId } from '../../../src/kernel/ids.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'paydrop-claims-'));
  for (const work of ['one', 'two']) await mkdir(join(root, work));
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe('countClaims', () => {
  it('counts the claims of all work folders, each folder once', async () => {
    const works = ['one', 'two', 'one'].map((name) => join(root, name));
    expect(await countClaims(works)).toBe(0);
    await mkdir(join(root, 'one', newFileId()));
    await mkdir(join(root, 'two', newFileId()));
    expect(await countClaims(works)).toBe(2);
  });

  it('counts nothing that is no claim', async () => {
    const work = join(root, 'three');
    await mkdir(join(work, 'notes'), { recursive: true });
    await mkdir(join(work, `${newFileId()}.empty`));
    await writeFile(join(work, newFileId()), 'a file');
    expect(await countClaims([work])).toBe(0);
  });

  it('says which folder is missing', async () => {
    await expect(countClaims([join(root, 'gone')])).rejects.toMatchObject({ code: 'FOLDER_MISSING' });
  });
});
