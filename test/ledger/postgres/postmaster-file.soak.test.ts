import { spawnSync } from 'node:child_process';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dataFolderOf, type ClusterPlace } from '../../../src/ledger/postgres/cluster.ts';
import {
  isPostmaster,
  readPostmasterFile,
  removeMisleadingFiles,
} from '../../../src/ledger/postgres/postmaster-file.ts';
import { giveData } from './support/made-cluster.ts';
import { openWorld, serverPid, type World } from './support/world.ts';

let world: World;
let place: ClusterPlace;
beforeEach(async () => {
  world = await openWorld();
  place = { dataDir: world.root, home: join(world.root, 'fake'), user: undefined };
  await mkdir(dataFolderOf(place), { recursive: true });
});
afterEach(() => world.close());

async function writePidFile(pid: number, socketFolder = world.root): Promise<string> {
  const path = join(dataFolderOf(place), 'postmaster.pid');
  await writeFile(path, [pid, '/data', 1_700_000_000, 5432, socketFolder, '', '123 456', 'ready   ', ''].join('\n'));
  return path;
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

describe('readPostmasterFile', () => {
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
  it('removes the locks that now name another living process', async () => {
    const path = await writePidFile(process.pid);
    const socketLock = join(world.root, '.s.PGSQL.5432.lock');
    await writeFile(socketLock, `${process.pid}\n`);
    await removeMisleadingFiles(place);
    const stays = process.platform !== 'linux';
    expect([await isThere(path), await isThere(socketLock)]).toEqual([stays, stays]);
  });

  it('leaves the lock of a dead process to PostgreSQL, and does nothing without one', async () => {
    await removeMisleadingFiles(place);
    const path = await writePidFile(spawnSync(process.execPath, ['--version']).pid);
    await removeMisleadingFiles(place);
    expect(await isThere(path)).toBe(true);
  });
});
