import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { publishFile } from '../../../src/files/outputs/publish-drafts.ts';
import { freshFolder } from '../support/fresh-folder.ts';

it('publishFile gives a free name, refuses a taken one and never replaces what has it', async () => {
  const dir = await freshFolder();
  const [one, two, name] = ['.one.tmp', '.two.tmp', 'a.csv'].map((file) => join(dir, file)) as [string, string, string];
  await writeFile(one, 'one');
  await writeFile(two, 'two');
  expect(await publishFile(one, name)).toBe(true);
  expect(await publishFile(two, name)).toBe(false);
  expect(await readFile(name, 'utf8')).toBe('one');
  await rm(one, { force: true });
  expect((await readdir(dir)).toSorted()).toEqual(['.two.tmp', 'a.csv']);
  await expect(publishFile(one, join(dir, 'b.csv'))).rejects.toMatchObject({ code: 'ENOENT' });
});
