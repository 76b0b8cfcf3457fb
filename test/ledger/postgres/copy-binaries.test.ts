import { mkdir, readdir, readlink, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWorld, type World } from './support/world.ts';
import { copyBinaries } from '../../../src/ledger/postgres/prepare-binaries.ts';

let world: World;
let native: string;
beforeEach(async () => {
  world = await openWorld();
  native = join(world.root, 'native');
  await mkdir(join(native, 'bin'), { recursive: true, mode: 0o700 });
  await mkdir(join(native, 'lib'), { mode: 0o700 });
  await writeFile(join(native, 'bin', 'postgres'), 'program', { mode: 0o600 });
  await writeFile(join(native, 'lib', 'libx.so.1.2'), 'library', { mode: 0o600 });
  const list = [{ source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so.1' }];
  await writeFile(join(native, 'pg-symlinks.json'), JSON.stringify(list));
});
afterEach(() => world.close());

describe('copyBinaries', () => {
  it('makes a copy that everybody can run, under any umask, also twice at once', async () => {
    const target = join(world.root, 'copy');
    const before = process.umask(0o077);
    try {
      await Promise.all([copyBinaries(native, target), copyBinaries(native, target)]);
    } finally {
      process.umask(before);
    }
    const modes = await Promise.all(
      ['.', 'bin', 'bin/postgres', 'lib', 'lib/libx.so.1.2'].map(async (name) => (await stat(join(target, name))).mode),
    );
    expect(modes.map((mode) => (mode & 0o777).toString(8))).toEqual(['755', '755', '755', '755', '644']);
    expect(await readlink(join(target, 'lib', 'libx.so.1'))).toBe('libx.so.1.2');
    expect((await readdir(world.root)).sort()).toEqual(['copy', 'native']);
  });

  it('leaves no draft behind when it fails', async () => {
    await expect(copyBinaries(join(world.root, 'missing'), join(world.root, 'copy'))).rejects.toThrow('ENOENT');
    expect(await readdir(world.root)).toEqual(['native']);
  });
});
