import { chmod, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWorld, type World } from './support/world.ts';
import { makeSharedFolder } from '../../../src/ledger/postgres/folders.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

describe('makeSharedFolder', () => {
  it('opens the folder to everybody under any umask', async () => {
    const path = join(world.root, 'shared');
    const before = process.umask(0o077);
    try {
      await makeSharedFolder(path);
    } finally {
      process.umask(before);
    }
    expect((await stat(path)).mode & 0o777).toBe(0o755);
  });

  it('leaves an existing folder as it is', async () => {
    const path = join(world.root, 'shared');
    await makeSharedFolder(path);
    await chmod(path, 0o711);
    await makeSharedFolder(path);
    expect((await stat(path)).mode & 0o777).toBe(0o711);
  });
});
