import {
  access,
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { makePrivateFolder, makeSharedFolder, replaceFile } from '../../../src/ledger/postgres/cluster.ts';
import type { ClusterPlace } from '../../../src/ledger/postgres/cluster.ts';
import { leaveNote, readNote } from '../../../src/ledger/postgres/find-cluster.ts';
import { chooseSocketFolder } from '../../../src/ledger/postgres/start-server.ts';
import { isRoot, sayWhatNeedsRoot, startFailure, useWorld } from './support/world.ts';
import { copyBinaries, findBinaries, repairBinaries } from '../../../src/ledger/postgres/prepare-binaries.ts';

describe('folders', () => {
  const NOBODY = { name: 'nobody', uid: 65534, gid: 65534 };

  const world = useWorld();
  let path: string;
  beforeEach(() => {
    path = join(world.root, 'it');
  });

  const modeOf = async (file: string) => (await lstat(file)).mode & 0o777;

  describe('makePrivateFolder', () => {
    it('makes a folder that only we can enter, and takes it again', async () => {
      await makePrivateFolder(path, undefined);
      await makePrivateFolder(path, undefined);
      expect(await modeOf(path)).toBe(0o700);
    });

    it('closes a folder of ours that is open', async () => {
      await mkdir(path, { mode: 0o755 });
      await makePrivateFolder(path, undefined);
      expect(await modeOf(path)).toBe(0o700);
    });

    it.each([
      ['a link to a folder', () => symlink(world.root, path)],
      ['a link to nothing', () => symlink(join(world.root, 'missing'), path)],
      ['a file', () => writeFile(path, '')],
    ])('refuses %s', async (_case, occupy) => {
      await occupy();
      await expect(makePrivateFolder(path, undefined)).rejects.toThrow(/link or a file instead of a folder/);
    });
  });

  describe.runIf(isRoot)(sayWhatNeedsRoot('makePrivateFolder for another user'), () => {
    it('gives the folder to that user, and takes the one that user has', async () => {
      await makePrivateFolder(path, NOBODY);
      await makePrivateFolder(path, NOBODY);
      expect(await lstat(path)).toMatchObject({ uid: 65534, gid: 65534 });
    });

    it('refuses the folder of a third user', async () => {
      await mkdir(path);
      await chown(path, 4711, 4711);
      await expect(makePrivateFolder(path, undefined)).rejects.toThrow('it belongs to another user (uid 4711)');
    });
  });

  describe('makeSharedFolder', () => {
    it('opens the folder to everybody under any umask', async () => {
      const before = process.umask(0o077);
      try {
        await makeSharedFolder(path);
      } finally {
        process.umask(before);
      }
      expect(await modeOf(path)).toBe(0o755);
    });

    it('leaves an existing folder as it is', async () => {
      await makeSharedFolder(path);
      await chmod(path, 0o711);
      await makeSharedFolder(path);
      expect(await modeOf(path)).toBe(0o711);
    });
  });

  describe('replaceFile', () => {
    it('writes and replaces, for the owner only, and leaves no draft behind', async () => {
      await replaceFile(path, 'one');
      await Promise.all([replaceFile(path, 'two'), replaceFile(path, 'two')]);
      expect(await readFile(path, 'utf8')).toBe('two');
      expect(await modeOf(path)).toBe(0o600);
      expect(await readdir(world.root)).toEqual(['it']);
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
      await writeFile(path, '');
      await expect(replaceFile(join(path, 'below'), 'text')).rejects.toThrow('ENOTDIR');
      expect(await readdir(world.root)).toEqual(['it']);
    });
  });

  describe.runIf(isRoot)(sayWhatNeedsRoot('replaceFile for another user'), () => {
    it('gives the file to its owner', async () => {
      await replaceFile(path, 'text', NOBODY);
      expect(await stat(path)).toMatchObject({ uid: 65534, gid: 65534 });
    });
  });

  describe('the note', () => {
    beforeEach(() => mkdir(world.dataDir));

    it('leaveNote says where the data are and why; readNote reads it back', async () => {
      await leaveNote(world.dataDir, '/elsewhere/1', { name: 'postgres', uid: 1, gid: 1 });
      expect(await readNote(world.dataDir)).toBe('/elsewhere/1');
      const text = await readFile(join(world.dataDir, 'WHERE.txt'), 'utf8');
      expect(text).toContain('runs as user "postgres"');
      expect(text).toContain(world.dataDir);
    });

    it('leaveNote keeps the note that is there', async () => {
      await leaveNote(world.dataDir, '/elsewhere/1', undefined);
      await leaveNote(world.dataDir, '/elsewhere/2', undefined);
      expect(await readNote(world.dataDir)).toBe('/elsewhere/1');
    });

    it('readNote tells no note from an empty one', async () => {
      expect(await readNote(world.dataDir)).toBeUndefined();
      await writeFile(join(world.dataDir, 'WHERE.txt'), '');
      expect(await readNote(world.dataDir)).toBe('');
    });
  });

  async function placeOfLength(length: number): Promise<ClusterPlace> {
    const home = join(world.root, 'h'.repeat(length - world.root.length - 1));
    await mkdir(home);
    return { dataDir: world.root, home, user: undefined };
  }

  // The socket is `<home>/run/.s.PGSQL.5432`. A path may have 107 bytes on Linux and 103 on other systems.
  const LONGEST_HOME = (process.platform === 'linux' ? 107 : 103) - '/run/.s.PGSQL.5432'.length;

  describe('chooseSocketFolder', () => {
    it('uses the home folder up to the last byte that fits', async () => {
      const place = await placeOfLength(LONGEST_HOME);
      expect(await chooseSocketFolder(place)).toBe(join(place.home, 'run'));
    });

    it('uses the same private temporary folder each time for a path one byte longer', async () => {
      const place = await placeOfLength(LONGEST_HOME + 1);
      const folder = await chooseSocketFolder(place);
      try {
        expect(dirname(folder)).toBe(tmpdir());
        expect(await chooseSocketFolder(place)).toBe(folder);
        const { mode, uid } = await lstat(folder);
        expect([mode & 0o777, uid]).toEqual([0o700, process.getuid?.()]);
        expect(await chooseSocketFolder({ ...place, home: `${place.home}-2` })).not.toBe(folder);
      } finally {
        await rm(folder, { recursive: true });
        await rm(await chooseSocketFolder({ ...place, home: `${place.home}-2` }), { recursive: true });
      }
    });

    it('refuses a link that somebody laid in the place of the temporary folder', async () => {
      const place = await placeOfLength(LONGEST_HOME + 1);
      const folder = await chooseSocketFolder(place);
      await rm(folder, { recursive: true });
      await symlink(world.root, folder);
      try {
        await expect(chooseSocketFolder(place)).rejects.toMatchObject({ code: 'LEDGER_START_FAILED' });
      } finally {
        await rm(folder);
      }
    });
  });
});

describe('prepare binaries', () => {
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
        ['.', 'bin', 'bin/postgres', 'lib', 'lib/libx.so.1.2'].map(
          async (name) => (await stat(join(target, name))).mode,
        ),
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
});
