import { chmod, chown, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Connection, PRESENCE_NAME } from '../../../src/ledger/postgres/ask-server.ts';
import { copyBrokenBinaries } from './support/broken-binaries.ts';
import { startMember } from './support/start-member.ts';
import {
  isRoot,
  openWorld,
  othersReachCheckout,
  queryOnce,
  sayWhatNeedsReach,
  sayWhatNeedsRoot,
  serverPid,
  type World,
} from './support/world.ts';
import { enterServer } from '../../../src/ledger/postgres/join-embedded-server.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

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

describe.runIf(othersReachCheckout)(sayWhatNeedsReach('joinEmbeddedServer as root beside another user'), () => {
  it('joins the server of an ordinary user on a fresh folder, who goes on when root has left', async () => {
    const nobody = { uid: 65_534, gid: 65_534 };
    await mkdir(world.dataDir);
    await chown(world.dataDir, nobody.uid, nobody.gid);
    await chmod(world.dataDir, 0o700);
    const member = await startMember(world, nobody);
    const connection = await member.joined();
    const server = await world.join();
    expect(server.connection).toEqual(connection);
    await server.leave();
    expect(await pidOf()).toBeGreaterThan(0);
    await member.leave();
    expect(await pidOf()).toBeUndefined();
  });
});
