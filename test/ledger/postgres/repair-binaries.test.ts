import { mkdir, readFile, readlink, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWorld, type World } from './support/world.ts';
import { repairBinaries } from '../../../src/ledger/postgres/prepare-binaries.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
  await mkdir(join(world.root, 'bin'));
  await mkdir(join(world.root, 'lib'));
  await writeFile(join(world.root, 'bin', 'postgres'), '', { mode: 0o644 });
  await writeFile(join(world.root, 'lib', 'libx.so.1.2'), 'library');
});
afterEach(() => world.close());

describe('repairBinaries', () => {
  it('restores links and the right to execute, also twice at once', async () => {
    const list = [{ source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so.1' }];
    await writeFile(join(world.root, 'pg-symlinks.json'), JSON.stringify(list));
    await Promise.all([repairBinaries(world.root), repairBinaries(world.root)]);
    expect(await readlink(join(world.root, 'lib', 'libx.so.1'))).toBe('libx.so.1.2');
    expect(await readFile(join(world.root, 'lib', 'libx.so.1'), 'utf8')).toBe('library');
    expect((await stat(join(world.root, 'bin', 'postgres'))).mode & 0o777).toBe(0o755);
  });

  it('does without a list of links', async () => {
    await repairBinaries(world.root);
    expect((await stat(join(world.root, 'bin', 'postgres'))).mode & 0o777).toBe(0o755);
  });
});
