import { access, mkdir, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyBinaries, findBinaries, repairBinaries } from '../../../src/ledger/postgres/prepare-binaries.ts';
import { startFailure, useWorld } from './support/world.ts';

const world = useWorld();

describe('findBinaries', () => {
  it('finds the programs of this platform and their version', async () => {
    const { folder, version } = await findBinaries();
    expect(version).toMatch(/^18\./);
    for (const name of ['initdb', 'pg_ctl', 'postgres']) await access(join(folder, 'bin', name));
  });

  it.each([
    ['sunos', 'x64', 'its programs for sunos-x64 are not installed'],
    ['win32', 'x64', 'it is not supported on Windows'],
  ])('advises DATABASE_URL on %s', async (platform, arch, reason) => {
    await expect(findBinaries(platform, arch)).rejects.toEqual(
      startFailure(new RegExp(`${reason}.*\\. Set DATABASE_URL`)),
    );
  });
});

/** Makes PostgreSQL as npm may leave it: without rights and links. */
async function makeNative(): Promise<string> {
  const native = join(world.root, 'native');
  await mkdir(join(native, 'bin'), { recursive: true, mode: 0o700 });
  await mkdir(join(native, 'lib'), { mode: 0o700 });
  await writeFile(join(native, 'bin', 'postgres'), 'program', { mode: 0o600 });
  await writeFile(join(native, 'lib', 'libx.so.1.2'), 'library', { mode: 0o600 });
  const list = [{ source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so.1' }];
  await writeFile(join(native, 'pg-symlinks.json'), JSON.stringify(list));
  return native;
}

describe('copyBinaries', () => {
  it('makes a copy that everybody can run, under any umask, also twice at once', async () => {
    const native = await makeNative();
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
    await makeNative();
    await expect(copyBinaries(join(world.root, 'missing'), join(world.root, 'copy'))).rejects.toThrow('ENOENT');
    expect(await readdir(world.root)).toEqual(['native']);
  });
});

describe('repairBinaries', () => {
  it('restores links and the right to execute, also twice at once', async () => {
    const native = await makeNative();
    await Promise.all([repairBinaries(native), repairBinaries(native)]);
    expect(await readlink(join(native, 'lib', 'libx.so.1'))).toBe('libx.so.1.2');
    expect(await readFile(join(native, 'lib', 'libx.so.1'), 'utf8')).toBe('library');
    expect((await stat(join(native, 'bin', 'postgres'))).mode & 0o777).toBe(0o755);
  });

  it('does without a list of links', async () => {
    const native = await makeNative();
    await rm(join(native, 'pg-symlinks.json'));
    await repairBinaries(native);
    expect((await stat(join(native, 'bin', 'postgres'))).mode & 0o777).toBe(0o755);
  });
});
