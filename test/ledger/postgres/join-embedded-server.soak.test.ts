import { chmod, chown, mkdir, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Pool } from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Connection, PRESENCE_NAME } from '../../../src/ledger/postgres/ask-server.ts';
import { logFileOf } from '../../../src/ledger/postgres/cluster.ts';
import { enterServer } from '../../../src/ledger/postgres/join-embedded-server.ts';
import {
  copyBrokenBinaries,
  isRoot,
  killServer,
  othersReachCheckout,
  queryOnce,
  sayWhatNeedsReach,
  sayWhatNeedsRoot,
  serverPid,
  startFailure,
  startMember,
  useWorld,
  waitUntil,
} from './support/world.ts';

const world = useWorld();

async function pidOf(dataDir?: string): Promise<number | undefined> {
  return serverPid(await world.place(dataDir));
}

async function countPresences(connection: Connection): Promise<number> {
  const held = await queryOnce(
    connection,
    `SELECT pid FROM pg_stat_activity WHERE application_name = '${PRESENCE_NAME}'`,
  );
  return held.length;
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}

/** A folder name that a shell or a settings file would misread. */
const SIGNS = `a 'b' "c", $HOME \`d\` \\e ü`;

/** Joins again and again while the last member leaves. */
async function expectStartedAgain(rounds: number): Promise<void> {
  let member = await world.join();
  for (let round = 0; round < rounds; round += 1) {
    const [next] = await Promise.all([world.join(), member.leave()]);
    expect(await queryOnce(next.connection, 'SELECT 1 AS one'), `round ${round}`).toEqual([{ one: 1 }]);
    member = next;
  }
  await member.leave();
  expect(await pidOf()).toBeUndefined();
}

describe('joinEmbeddedServer on a fresh folder', () => {
  it('lets two processes join it at the same time; only the last one stops it', async () => {
    const members = [await startMember(world), await startMember(world)] as const;
    const connections = await Promise.all(members.map((member) => member.joined()));
    expect(connections[0]).toEqual(connections[1]);
    const pid = await pidOf();
    await members[0].leave();
    expect(await pidOf()).toBe(pid);
    await members[1].leave();
    expect(await pidOf()).toBeUndefined();
    expect((await readdir((await world.place()).home)).filter((name) => name.startsWith('init-'))).toEqual([]);
  });

  it.each([
    ['a path too long for a socket', 'long-'.repeat(24), 0o022],
    ['signs that mean something to a shell or to a settings file', SIGNS, 0o022],
    ['a umask that closes everything', 'data', 0o077],
  ])('works in a folder with %s', async (_case, name, umask) => {
    const before = process.umask(umask);
    const dataDir = join(world.root, name);
    try {
      const server = await world.join(dataDir);
      const { connection } = server;
      expect(await queryOnce(connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      await server.leave();
      expect(await pidOf(dataDir)).toBeUndefined();
      if (!connection.host.startsWith(world.root)) await rm(connection.host, { recursive: true });
    } finally {
      process.umask(before);
    }
  });

  it('joins the server that a killed process left behind, and stops it', async () => {
    const member = await startMember(world);
    await member.joined();
    const pid = await pidOf();
    await member.kill();
    const server = await world.join();
    expect(await pidOf()).toBe(pid);
    // Until the server notices the death, the dead count as members.
    await expect.poll(() => countPresences(server.connection)).toBe(1);
    await server.leave();
    expect(await pidOf()).toBeUndefined();
  });

  it.each([
    ['a draft', /^init-[^/]+$/],
    ['a draft with settings', /^init-[^/]+\/PG_VERSION$/],
    ['our database', /^(?:init-[^/]+|data)\/base\/[1-9]\d{4,}$/],
    ['a cluster', /^data$/],
  ])('has one whole cluster after a process was killed that had just made %s', async (_what, made) => {
    const member = await startMember({ ...world, fsync: true });
    const { home } = await world.place();
    const namesIn = (folder: string) => readdir(folder).catch(() => []);
    const list = async () => {
      const names = await namesIn(home);
      const inside = names.map(async (name) => {
        const bases = (await namesIn(join(home, name, 'base'))).map((base) => `base/${base}`);
        return [name, ...[...(await namesIn(join(home, name))), ...bases].map((one) => `${name}/${one}`)];
      });
      return (await Promise.all(inside)).flat();
    };
    await waitUntil(async () => (await list()).some((name) => made.test(name)));
    await member.kill();
    const server = await world.join();
    const databases = await queryOnce(server.connection, 'SELECT datname FROM pg_database ORDER BY 1');
    expect(databases.map(({ datname }) => datname)).toEqual(['paydrop', 'postgres', 'template0', 'template1']);
    await server.leave();
  });

  it('starts again after the whole server was killed', async () => {
    // Leaves as a dying process does: without signing off.
    const { client, connection } = await enterServer(await world.openCluster());
    const processes = await queryOnce(connection, 'SELECT pid FROM pg_stat_activity');
    await client.end();
    const pid = await pidOf();
    for (const number of [pid, ...processes.map((row) => row['pid'])]) killIfThere(number as number);
    const server = await world.join();
    expect(await queryOnce(server.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await pidOf()).not.toBe(pid);
    await server.leave();
  });

  it('waits for a server that is stopping and starts it again, twenty times', () => expectStartedAgain(20));
});

describe.runIf(isRoot)(sayWhatNeedsRoot('joinEmbeddedServer as root'), () => {
  it('works from a checkout and a data folder under a closed home, installed without scripts', async () => {
    const home = join(world.root, 'home');
    await mkdir(home, { mode: 0o700 });
    const binaries = await copyBrokenBinaries(join(home, 'checkout', 'native'));
    const places = { ...world.places, findBinaries: async () => binaries };
    const dataDir = join(home, 'checkout', 'data');
    const server = await world.join(dataDir, places);
    expect(await queryOnce(server.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(server.connection.host.startsWith(join(world.sharedFolder, 'clusters'))).toBe(true);
    expect(await readFile(join(dataDir, 'WHERE.txt'), 'utf8')).toContain(join(world.sharedFolder, 'clusters'));
    await server.leave();
    expect(await pidOf(dataDir)).toBeUndefined();
  });
});

const NOBODY = { uid: 65_534, gid: 65_534 };

describe.runIf(othersReachCheckout)(sayWhatNeedsReach('joinEmbeddedServer as root beside another user'), () => {
  it('joins the server of an ordinary user on a fresh folder, who goes on when root has left', async () => {
    await mkdir(world.dataDir);
    await chown(world.dataDir, NOBODY.uid, NOBODY.gid);
    await chmod(world.dataDir, 0o700);
    const member = await startMember(world, NOBODY);
    const connection = await member.joined();
    const server = await world.join();
    expect(server.connection).toEqual(connection);
    await server.leave();
    expect(await pidOf()).toBeGreaterThan(0);
    await member.leave();
    expect(await pidOf()).toBeUndefined();
  });

  it('tells an ordinary user whose the data are', async () => {
    await world.place();
    expect(await (await startMember(world, NOBODY)).failed()).toEqual(
      startFailure(/belong to another user.*Start paydrop as that user or as root/),
    );
  });
});

describe('joinEmbeddedServer on one cluster', () => {
  const world = useWorld('all');
  const pidOf = async () => serverPid(await world.place());

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
