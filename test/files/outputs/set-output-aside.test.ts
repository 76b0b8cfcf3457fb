import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setOutputAside } from '../../../src/files/outputs/publish-drafts.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'paydrop-aside-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

describe('setOutputAside', () => {
  it('keeps the file under a name that is no output, however often', async () => {
    const names: string[] = [];
    for (const text of ['one', 'two']) {
      await writeFile(join(dir, 'a.result.csv'), text);
      names.push(await setOutputAside(dir, 'a.result.csv'));
    }
    expect((await readdir(dir)).toSorted()).toEqual(names.toSorted());
    expect(names[0]).toMatch(/^a\.result\.csv\.[0-9a-f]{8}\.forgotten$/);
    expect(await Promise.all(names.map((name) => readFile(join(dir, name), 'utf8')))).toEqual(['one', 'two']);
  });

  it('says so when there is nothing of that name', async () => {
    await expect(setOutputAside(dir, 'b.csv')).rejects.toMatchObject({ code: 'FOLDER_MISSING' });
  });
});
