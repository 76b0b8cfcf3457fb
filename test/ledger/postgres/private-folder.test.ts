import { chown, lstat, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makePrivateFolder } from '../../../src/ledger/postgres/folders.ts';
import { isRoot, openWorld, sayWhatNeedsRoot, type World } from './support/world.ts';

let world: World;
let path: string;
beforeEach(async () => {
  world = await openWorld();
  path = join(world.root, 'private');
});
afterEach(() => world.close());

describe('makePrivateFolder', () => {
  it('makes a folder that only we can enter, and takes it again', async () => {
    await makePrivateFolder(path, undefined);
    await makePrivateFolder(path, undefined);
    expect((await lstat(path)).mode & 0o777).toBe(0o700);
  });

  it('closes a folder of ours that is open', async () => {
    await mkdir(path, { mode: 0o755 });
    await makePrivateFolder(path, undefined);
    expect((await lstat(path)).mode & 0o777).toBe(0o700);
  });

  it.each([
    ['a link to a folder', () => symlink(world.root, path)],
    ['a link to nothing', () => symlink(join(world.root, 'missing'), path)],
    ['a file', () => writeFile(path, '')],
  ])('refuses %s', async (_case, occupy) => {
    await occupy();
    await expect(makePrivateFolder(path, undefined)).rejects.toThrow(/link or a file where a folder must be/);
  });
});

describe.runIf(isRoot)(sayWhatNeedsRoot('makePrivateFolder for another user'), () => {
  it('gives the folder to that user, and takes the one that user has', async () => {
    const owner = { name: 'nobody', uid: 65534, gid: 65534 };
    await makePrivateFolder(path, owner);
    await makePrivateFolder(path, owner);
    expect(await lstat(path)).toMatchObject({ uid: 65534, gid: 65534 });
  });

  it('refuses the folder of a third user', async () => {
    await mkdir(path);
    await chown(path, 4711, 4711);
    await expect(makePrivateFolder(path, undefined)).rejects.toThrow('it belongs to another user (uid 4711)');
  });
});
