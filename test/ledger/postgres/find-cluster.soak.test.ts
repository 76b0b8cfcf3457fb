import { existsSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import {
  access,
  chmod,
  chown,
  cp,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Cluster, type ClusterPlace, dataFolderOf, runProgram } from '../../../src/ledger/postgres/cluster.ts';
import { hasData, initCluster } from '../../../src/ledger/postgres/find-cluster.ts';
import { isPostmaster, readPostmasterFile, removeMisleadingFiles } from '../../../src/ledger/postgres/ask-server.ts';
import { findBinaries, prepareBinaries } from '../../../src/ledger/postgres/prepare-binaries.ts';
import {
  copyBrokenBinaries,
  giveData,
  isRoot,
  sayWhatNeedsRoot,
  serverPid,
  startFailure,
  useWorld,
} from './support/world.ts';

const world = useWorld();

/** Makes a home look like that of an initialized cluster. */
async function fakeData(home: string): Promise<void> {
  await mkdir(join(home, 'data'), { recursive: true });
  await writeFile(join(home, 'data', 'PG_VERSION'), '18\n');
}

describe('findCluster', () => {
  it('puts the cluster into the data folder, which it makes, and finds it again', async () => {
    const place = await world.place();
    expect(place).toMatchObject({ dataDir: world.dataDir, home: join(world.dataDir, 'postgres') });
    expect((await stat(place.home)).mode & 0o777).toBe(0o700);
    expect(await world.place()).toEqual(place);
  });
});

describe.runIf(isRoot)(sayWhatNeedsRoot('findCluster as root'), () => {
  const closedParent = () => join(world.root, 'closed');
  const dataDir = () => join(closedParent(), 'data');

  beforeEach(() => mkdir(closedParent(), { mode: 0o700 }));

  it('runs the server as another user, who owns the home folder', async () => {
    const { home, user } = await world.place();
    expect(user?.uid).toBeGreaterThan(0);
    expect(await stat(home)).toMatchObject({ uid: user?.uid, gid: user?.gid });
  });

  it('runs an existing cluster as its owner', async () => {
    await fakeData(join(world.dataDir, 'postgres'));
    await chown(join(world.dataDir, 'postgres'), 4711, 4712);
    expect(await world.place()).toMatchObject({ user: { uid: 4711, gid: 4712 } });
  });

  it('lets the user pass through a data folder that is closed itself, and no further', async () => {
    await mkdir(world.dataDir, { mode: 0o700 });
    const { home, user } = await world.place();
    expect(home).toBe(join(world.dataDir, 'postgres'));
    const { mode, uid, gid } = await stat(world.dataDir);
    expect([mode & 0o777, uid, gid]).toEqual([0o710, 0, user?.gid]);
  });

  it('goes elsewhere below a closed folder, says so, and stays there when the folder is opened', async () => {
    const place = await world.place(dataDir());
    expect(dirname(place.home)).toBe(join(world.sharedFolder, 'clusters'));
    expect(await stat(place.home)).toMatchObject({ uid: place.user?.uid });
    const note = await readFile(join(dataDir(), 'WHERE.txt'), 'utf8');
    expect(note.split('\n')).toContain(place.home);
    expect(note).toContain(`runs as user "${place.user?.name}"`);
    expect((await stat(closedParent())).mode & 0o777).toBe(0o700);

    await chmod(closedParent(), 0o755);
    expect(await world.place(dataDir())).toEqual(place);
  });

  it('does not open a data folder whose group has rights', async () => {
    await mkdir(world.dataDir);
    await chmod(world.dataDir, 0o750);
    expect((await world.place()).home).toContain(world.sharedFolder);
    expect((await stat(world.dataDir)).mode & 0o777).toBe(0o750);
  });

  it('stays in the data folder when a folder above is closed later', async () => {
    const place = await world.place();
    await fakeData(place.home);
    await chmod(world.root, 0o700);
    expect(await world.place()).toEqual(place);
  });

  it.each([
    ['the data elsewhere are gone', (home: string) => rm(home, { recursive: true }), /data are missing from/],
    ['the note is gone', () => rm(join(dataDir(), 'WHERE.txt')), /data of an earlier folder of this name/],
    ['the note was emptied', () => writeFile(join(dataDir(), 'WHERE.txt'), ''), /names the PostgreSQL data of another/],
  ])('stops instead of beginning with an empty ledger when %s', async (_case, lose, reason) => {
    const { home } = await world.place(dataDir());
    await fakeData(home);
    await lose(home);
    await expect(world.place(dataDir())).rejects.toEqual(startFailure(reason));
  });

  it('stops in a moved folder and in a copy, which would share the ledger of the first', async () => {
    await world.place(dataDir());
    await cp(dataDir(), `${dataDir()}-copy`, { recursive: true });
    await expect(world.place(`${dataDir()}-copy`)).rejects.toThrow(/If the folder was moved, rename those data/);
    await rename(dataDir(), `${dataDir()}-moved`);
    await expect(world.place(`${dataDir()}-moved`)).rejects.toThrow(/if it is a copy, remove WHERE\.txt/);
  });
});

describe('initCluster', () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await world.openCluster();
  });

  it('leaves one complete cluster when two make it at once, and clears what a dead process left', async () => {
    const deadPid = spawnSync(process.execPath, ['--version']).pid;
    await mkdir(join(cluster.home, `init-${deadPid}-cafe`, 'base'), { recursive: true });
    await mkdir(join(cluster.home, `init-1-cafe`));
    expect(await hasData(cluster)).toBe(false);
    await Promise.all([initCluster(cluster), initCluster(cluster)]);
    expect(await hasData(cluster)).toBe(true);
    expect((await readdir(cluster.home)).sort()).toEqual(['data', 'init-1-cafe']);
    const access = await readFile(join(cluster.home, 'data', 'pg_hba.conf'), 'utf8');
    const rules = access.split('\n').filter((line) => /^\w/.test(line));
    expect(rules.filter((line) => line.startsWith('local'))).not.toEqual([]);
    for (const rule of rules) expect(rule).toMatch(/^(local .* trust|host .* reject)$/);
  });

  it('has it on the disk before it gets its name', async () => {
    const programs = join(world.root, 'programs');
    await mkdir(programs);
    const real = await cluster.findPrograms();
    await symlink(join(real, 'postgres'), join(programs, 'postgres'));
    const script = `#!/bin/sh\ncase "$*" in *--sync-only*) ls > synced ;; esac\nexec "${real}/initdb" "$@"\n`;
    await writeFile(join(programs, 'initdb'), script, { mode: 0o755 });
    await initCluster({ ...cluster, fsync: true, findPrograms: async () => programs });
    expect(await readFile(join(cluster.home, 'synced'), 'utf8')).toMatch(/^init-\S+\nsynced\n$/);
    expect((await readdir(cluster.home)).sort()).toEqual(['data', 'synced']);
  });

  it('leaves nothing behind when it fails, and says why', async () => {
    const programs = join(world.root, 'programs');
    await mkdir(programs);
    const script = '#!/bin/sh\necho "initdb: error: No space left on device" >&2\nexit 1\n';
    await writeFile(join(programs, 'initdb'), script, { mode: 0o755 });
    await expect(initCluster({ ...cluster, findPrograms: async () => programs })).rejects.toEqual(
      startFailure(/the disk is full/),
    );
    expect(await readdir(cluster.home)).toEqual([]);
  });

  it('hasData does not take a broken disk for a new cluster', async () => {
    await rm(cluster.home, { recursive: true });
    await writeFile(cluster.home, 'not a folder');
    await expect(hasData(cluster)).rejects.toThrow('ENOTDIR');
    await access(cluster.home);
  });
});

let place: ClusterPlace;

async function versionOf(programs: string, user: ClusterPlace['user']): Promise<string> {
  return (await runProgram(join(programs, 'pg_ctl'), ['--version'], { user, folder: '/' })).output;
}

async function placeAtRoot(): Promise<void> {
  place = { dataDir: world.dataDir, home: join(world.dataDir, 'postgres'), user: undefined };
  await mkdir(world.dataDir);
}

describe('prepareBinaries', () => {
  beforeEach(placeAtRoot);

  it('restores links and execute bits in place', async () => {
    const binaries = await copyBrokenBinaries(join(world.root, 'native'));
    const programs = await prepareBinaries(binaries, place, world.sharedFolder);
    expect(programs).toBe(join(binaries.folder, 'bin'));
    expect(await versionOf(programs, undefined)).toContain('pg_ctl (PostgreSQL) 18');
  });

  it('copies them beside the data for an ordinary user who cannot run them where they are, once', async () => {
    const binaries = await copyBrokenBinaries(join(world.root, 'a $HOME of its own', 'native'));
    const programs = await prepareBinaries(binaries, place, world.sharedFolder);
    expect(programs).toBe(join(world.dataDir, `postgres-${binaries.version}`, 'bin'));
    await writeFile(join(programs, 'mark'), '');
    expect(await prepareBinaries(binaries, place, world.sharedFolder)).toBe(programs);
    expect(await versionOf(programs, undefined)).toContain('pg_ctl (PostgreSQL) 18');
  });

  it('says what is wrong with programs that do not run anywhere', async () => {
    const folder = join(world.root, 'native');
    await mkdir(join(folder, 'bin'), { recursive: true });
    await writeFile(join(folder, 'bin', 'initdb'), '#!/bin/sh\necho wrong kind of machine\nexit 1\n');
    await expect(prepareBinaries({ folder, version: '1' }, place, world.sharedFolder)).rejects.toEqual(
      startFailure(/do not run here: wrong kind of machine\. Set DATABASE_URL/),
    );
  });
});

describe.runIf(isRoot)(sayWhatNeedsRoot('prepareBinaries for another user'), () => {
  beforeEach(placeAtRoot);

  it('takes the installed programs as they are, or copies those of a closed folder to the shared one', async () => {
    const other = { ...place, user: { name: 'nobody', uid: 65534, gid: 65534 } };
    const closed = join(world.root, 'closed');
    await mkdir(closed, { mode: 0o700 });
    const binaries = await copyBrokenBinaries(join(closed, 'native'));
    const both = [
      prepareBinaries(binaries, other, world.sharedFolder),
      prepareBinaries(binaries, other, world.sharedFolder),
    ];
    const programs = join(world.sharedFolder, `postgres-${binaries.version}`, 'bin');
    expect(await Promise.all(both)).toEqual([programs, programs]);
    expect(await versionOf(programs, other.user)).toContain('pg_ctl (PostgreSQL) 18');
  });

  it('leaves programs alone that the user can run', async () => {
    const binaries = await findBinaries();
    const programs = await prepareBinaries(binaries, place, world.sharedFolder);
    expect(programs).toBe(join(binaries.folder, 'bin'));
  });
});

async function placeFake(): Promise<void> {
  place = { dataDir: world.root, home: join(world.root, 'fake'), user: undefined };
  await mkdir(dataFolderOf(place), { recursive: true });
}

async function writePidFile(pid: number, socketFolder = world.root): Promise<string> {
  const path = join(dataFolderOf(place), 'postmaster.pid');
  await writeFile(path, [pid, '/data', 1_700_000_000, 5432, socketFolder, '', '123 456', 'ready   ', ''].join('\n'));
  return path;
}

describe('readPostmasterFile', () => {
  beforeEach(placeFake);

  it('reads process, port and socket folder', async () => {
    await writePidFile(4711, '/some where/run');
    expect(await readPostmasterFile(place)).toEqual({ pid: 4711, port: 5432, socketFolder: '/some where/run' });
  });

  it('reads the file of a server that has only just begun', async () => {
    await writeFile(join(dataFolderOf(place), 'postmaster.pid'), '4711\n/data\n1700000000\n5432\n');
    expect(await readPostmasterFile(place)).toEqual({ pid: 4711, port: 5432, socketFolder: '' });
  });

  it('finds nothing where no server runs', async () => {
    expect(await readPostmasterFile(place)).toBeUndefined();
  });
});

describe('isPostmaster', () => {
  beforeEach(placeFake);

  it('knows the server of this cluster, whose locks stay, from that of another and from other processes', async () => {
    await giveData(await world.openCluster());
    const server = await world.join();
    const own = await world.place();
    const pid = (await serverPid(own)) ?? 0;
    const isBlind = process.platform !== 'linux';
    expect(await isPostmaster(pid, own)).toBe(true);
    expect(await isPostmaster(pid, place)).toBe(isBlind);
    expect(await isPostmaster(process.pid, own)).toBe(isBlind);
    await removeMisleadingFiles(own);
    expect(await readPostmasterFile(own)).toBeDefined();
    await server.leave();
    expect(await isPostmaster(pid, own)).toBe(false);
  });
});

describe('removeMisleadingFiles', () => {
  beforeEach(placeFake);

  it('removes the locks that now name another living process', async () => {
    const path = await writePidFile(process.pid);
    const socketLock = join(world.root, '.s.PGSQL.5432.lock');
    await writeFile(socketLock, `${process.pid}\n`);
    await removeMisleadingFiles(place);
    const stays = process.platform !== 'linux';
    expect([existsSync(path), existsSync(socketLock)]).toEqual([stays, stays]);
  });

  it('leaves the lock of a dead process to PostgreSQL, and does nothing without one', async () => {
    await removeMisleadingFiles(place);
    const path = await writePidFile(spawnSync(process.execPath, ['--version']).pid);
    await removeMisleadingFiles(place);
    expect(existsSync(path)).toBe(true);
  });
});
