import { chmod, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isRoot, openWorld, sayWhatNeedsRoot, type World } from './support/world.ts';
import { replaceFile } from '../../../src/ledger/postgres/folders.ts';

let world: World;
let path: string;
beforeEach(async () => {
  world = await openWorld();
  path = join(world.root, 'file');
});
afterEach(() => world.close());

describe('replaceFile', () => {
  it('writes and replaces, for the owner only, and leaves no draft behind', async () => {
    await replaceFile(path, 'one');
    await Promise.all([replaceFile(path, 'two'), replaceFile(path, 'two')]);
    expect(await readFile(path, 'utf8')).toBe('two');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(world.root)).toEqual(['file']);
  });

  it('replaces a link instead of writing through it', async () => {
    const victim = join(world.root, 'victim');
    await writeFile(victim, 'untouched');
    await symlink(victim, path);
    await replaceFile(path, 'new');
    expect(await readFile(victim, 'utf8')).toBe('untouched');
    expect(await readFile(path, 'utf8')).toBe('new');
  });

  it('leaves no draft behind when it fails', async () => {
    const folder = join(world.root, 'file', 'below');
    await writeFile(path, '');
    await expect(replaceFile(folder, 'text')).rejects.toThrow('ENOTDIR');
    expect(await readdir(world.root)).toEqual(['file']);
    await chmod(path, 0o600);
  });
});

describe.runIf(isRoot)(sayWhatNeedsRoot('replaceFile for another user'), () => {
  it('gives the file to its owner', async () => {
    await replaceFile(path, 'text', { name: 'nobody', uid: 65534, gid: 65534 });
    expect(await stat(path)).toMatchObject({ uid: 65534, gid: 65534 });
  });
});
