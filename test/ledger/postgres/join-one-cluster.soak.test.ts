import { readdir, readFile, readlink } from 'node:fs/promises';
import { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { logFileOf } from '../../../src/ledger/postgres/cluster.ts';
import { startMember } from './support/start-member.ts';
import {
  killServer,
  openWorld,
  othersReachCheckout,
  sayWhatNeedsReach,
  queryOnce,
  serverPid,
  waitUntil,
  type World,
} from './support/world.ts';

let world: World;

async function pidOf(dataDir?: string): Promise<number | undefined> {
  return serverPid(await world.place(dataDir));
}

const NOBODY = { uid: 65534, gid: 65534 };

describe('joinEmbeddedServer on one cluster', () => {
  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(() => world.close());

  it('makes the database at the first call, stops with the last to leave, and keeps the data', async () => {
    const first = await world.join();
    await queryOnce(first.connection, 'CREATE TABLE note (text text)');
    await queryOnce(first.connection, "INSERT INTO note VALUES ('kept')");
    const rows = await queryOnce(
      first.connection,
      `SELECT current_database() AS database, current_setting('server_encoding') AS encoding,
              current_setting('data_checksums') AS checksums, current_setting('TimeZone') AS zone, lower('Ä') AS lower`,
    );
    expect(rows).toEqual([{ database: 'paydrop', encoding: 'UTF8', checksums: 'on', zone: 'UTC', lower: 'ä' }]);
    expect(await pidOf()).toBeGreaterThan(0);
    await Promise.all([first.leave(), first.leave()]);
    expect(await pidOf()).toBeUndefined();

    const second = await world.join();
    expect(await queryOnce(second.connection, 'SELECT text FROM note')).toEqual([{ text: 'kept' }]);
    await second.leave();
    expect(await pidOf()).toBeUndefined();
  });

  it('brings a server back that dies under its member, without an empty ledger in its place', async () => {
    const server = await world.join();
    await queryOnce(server.connection, 'CREATE TABLE proof ()');
    // Without durability a commit is only safe after a checkpoint.
    await queryOnce(server.connection, 'CHECKPOINT');
    const pid = await pidOf();
    await killServer(world.dataDir, world.sharedFolder);
    await waitUntil(() =>
      queryOnce(server.connection, 'SELECT FROM proof').then(
        () => true,
        () => false,
      ),
    );
    expect(await pidOf()).not.toBe(pid);
    await server.leave();
    expect(await pidOf()).toBeUndefined();
  });

  it('does not keep its process alive, and the server outlives the process', async () => {
    const member = await startMember({ ...world, stays: false });
    await member.joined();
    expect(await member.exitStatus()).toBe(0);
    expect(await pidOf()).toBeGreaterThan(0);
    const server = await world.join();
    await server.leave();
  });

  it('hands nothing of its environment to the server', async () => {
    vi.stubEnv('PAYDROP_MASTER_KEY', 'canary-master-key');
    onTestFinished(() => void vi.unstubAllEnvs());
    const server = await world.join();
    const environment = await readFile(`/proc/${await pidOf()}/environ`, 'utf8').catch(() => 'PATH=unreadable here');
    expect(environment).toContain('PATH=');
    expect(environment).not.toContain('canary-master-key');
    await server.leave();
  });

  it('opens no network port and no socket outside a private folder', async () => {
    const server = await world.join();
    expect(await queryOnce(server.connection, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '' }]);
    expect(await tcpSocketsOf((await pidOf()) ?? 0)).toEqual([]);
    await server.leave();
  });

  it('keeps data values out of the log of the server', async () => {
    const server = await world.join();
    await queryOnce(
      server.connection,
      'CREATE TABLE t (id int PRIMARY KEY, text varchar(40) CHECK (length(text) < 30))',
    );
    await queryOnce(server.connection, "INSERT INTO t VALUES (700100017, 'canary-alpha')");
    const failing = [
      "INSERT INTO t VALUES (700100017, 'canary-beta')",
      "INSERT INTO t VALUES (700200017, 'canary-gamma-which-is-longer-than-thirty')",
      "SELECT 'canary-delta'::int",
      "SELECT 'canary-epsilon' FROM nowhere",
      "DO $$ BEGIN RAISE EXCEPTION 'canary-zeta'; END $$",
    ];
    for (const sql of failing) await expect(queryOnce(server.connection, sql)).rejects.toThrow();
    const pool = new Pool(server.connection);
    await expect(pool.query('SELECT $1::int', ['canary-eta'])).rejects.toThrow('canary-eta');
    await pool.end();
    await server.leave();
    const log = await readFile(logFileOf(await world.place()), 'utf8');
    expect(log).toContain('ready to accept connections');
    expect(log).not.toMatch(/canary|700100017|700200017/);
  });
});

describe.runIf(othersReachCheckout)(sayWhatNeedsReach('joinEmbeddedServer as root beside another user'), () => {
  beforeEach(async () => {
    world = await openWorld();
  });
  afterEach(() => world.close());

  it('tells an ordinary user whose the data are', async () => {
    await world.place();
    expect(await (await startMember(world, NOBODY)).failed()).toMatchObject({
      code: 'LEDGER_START_FAILED',
      message: expect.stringMatching(/belong to another user.*Start paydrop as that user or as root/),
    });
  });
});

/** Returns inode numbers of the TCP sockets a process holds. Linux only; elsewhere it returns none. */
async function tcpSocketsOf(pid: number): Promise<string[]> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8').catch(() => '')),
  );
  const inodes = new Set(tables.flatMap((table) => table.split('\n').map((line) => line.trim().split(/\s+/)[9])));
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const targets = await Promise.all(descriptors.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')));
  return targets.filter((target) => inodes.has(/^socket:\[(\d+)\]$/.exec(target)?.[1] ?? 'none'));
}
