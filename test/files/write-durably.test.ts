import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeDurably } from '../../src/files/write-durably.ts';
import { freshFolder } from './support/fresh-folder.ts';

describe('writeDurably', () => {
  it('writes a file for our user only and leaves no temporary one', async () => {
    const folder = await freshFolder();
    await writeDurably(join(folder, 'notes.json'), 'text');
    expect(await readdir(folder)).toEqual(['notes.json']);
    expect(await readFile(join(folder, 'notes.json'), 'utf8')).toBe('text');
    expect((await stat(join(folder, 'notes.json'))).mode & 0o777).toBe(0o600);
  });

  it('is not troubled by what a killed process left', async () => {
    const folder = await freshFolder();
    await writeFile(join(folder, 'notes.json.tmp'), 'a longer text, cut of');
    await writeDurably(join(folder, 'notes.json'), 'text');
    expect(await readdir(folder)).toEqual(['notes.json']);
    expect(await readFile(join(folder, 'notes.json'), 'utf8')).toBe('text');
  });
});
