import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openLog, silentLog } from '../../../src/kernel/log.ts';
import { ALIVE_LOCKS, type Instance, joinAsInstance } from '../../../src/ledger/engine/instance.ts';
import { relayDatabase } from '../../support/database-relay.ts';
import { OF_THIS_DATABASE } from '../../support/force-sql.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger({ sessions: 'ended' });
});
afterAll(() => world.close());

const REJOIN_MS = 10;

async function join(log = silentLog()): Promise<Instance> {
  const instance = await joinAsInstance({ connectionString: world.url }, log, { rejoinMs: REJOIN_MS });
  onTestFinished(() => instance.leave());
  return instance;
}

/** Returns the connections that hold this instance's lock or wait for it. */
async function holdersOf(instance: Instance): Promise<number[]> {
  const { rows } = await world.ledger.pool.query<{ pid: number }>(
    `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND classid = $1 AND objid = hashtext($2)::oid
     AND ${OF_THIS_DATABASE}`,
    [ALIVE_LOCKS, instance.id],
  );
  return rows.map((row) => row.pid);
}

async function countConnections(): Promise<number> {
  const { rows } = await world.ledger.pool.query<{ count: number }>(
    `SELECT count(*) AS count FROM pg_stat_activity
     WHERE application_name = 'paydrop-instance' AND datname = current_database()`,
  );
  return rows[0]!.count;
}

async function cut(pids: number[]): Promise<void> {
  await world.ledger.pool.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid', [pids]);
}

/** Closes this world's database to new connections, or reopens it. PostgreSQL forbids that from inside. */
async function allowConnections(allow: boolean): Promise<void> {
  const admin = new pg.Client({ connectionString: world.url.replace(/\/test_\w+/, '/postgres') });
  await admin.connect();
  const [database] = /test_\w+/.exec(world.url)!;
  await admin.query(`ALTER DATABASE ${database} ALLOW_CONNECTIONS ${allow}`);
  await admin.end();
}

describe('joinAsInstance', () => {
  it('holds the lock of an id of its own until it leaves', async () => {
    const one = await join();
    const other = await join();
    expect(one.id).not.toBe(other.id);
    expect(one.id).toContain(`-${process.pid}-`);
    expect(await holdersOf(one)).toHaveLength(1);
    await one.leave();
    await expect.poll(() => holdersOf(one), { interval: 5 }).toEqual([]);
    expect(await holdersOf(other)).toHaveLength(1);
  });

  it('may leave twice', async () => {
    const instance = await join();
    await instance.leave();
    await expect(instance.leave()).resolves.toBeUndefined();
  });

  it('takes the lock up again after its connection was lost', async () => {
    const instance = await join();
    const before = await holdersOf(instance);
    await cut(before);
    await expect
      .poll(async () => (await holdersOf(instance)).filter((pid) => !before.includes(pid)), { interval: 5 })
      .toHaveLength(1);
  });

  it('notices a connection that swallows everything, and takes up another one', async () => {
    const relay = await relayDatabase(world.url);
    onTestFinished(() => relay.close());
    const instance = await joinAsInstance({ connectionString: relay.url, query_timeout: 400 }, silentLog(), {
      rejoinMs: REJOIN_MS,
      beatMs: 20,
    });
    onTestFinished(() => instance.leave());
    const before = await holdersOf(instance);
    let swallows = true;
    relay.decide((said) => (swallows && said.includes('SELECT 1') ? 'keep' : 'pass'));
    await expect.poll(() => instance.isSettled(), { interval: 5 }).toBe(false);
    swallows = false;
    await expect
      .poll(async () => (await holdersOf(instance)).filter((pid) => !before.includes(pid)), { interval: 5 })
      .toHaveLength(1);
  });

  it('is not settled from the loss of its connection until some time after it is back', async () => {
    const instance = await joinAsInstance({ connectionString: world.url }, silentLog(), {
      rejoinMs: REJOIN_MS,
      settleMs: 200,
    });
    onTestFinished(() => instance.leave());
    expect(instance.isSettled()).toBe(true);
    const before = await holdersOf(instance);
    await cut(before);
    await expect.poll(() => instance.isSettled(), { interval: 5 }).toBe(false);
    await expect.poll(() => instance.isSettled(), { interval: 5 }).toBe(true);
    expect(await holdersOf(instance)).toHaveLength(1);
  });

  it('comes back with one connection, however often it had to try', async () => {
    const tries: string[] = [];
    const log = openLog({ level: 'debug', destination: { write: (line) => void tries.push(line) } });
    const others = await countConnections();
    const instance = await join(log);
    await allowConnections(false);
    await cut(await holdersOf(instance));
    // If failures doubled the rounds of tries, their number would have exploded by now.
    await expect
      .poll(() => tries.filter((line) => line.includes('cannot rejoin')).length, { interval: 5 })
      .toBeGreaterThan(8);
    expect(await holdersOf(instance)).toEqual([]);
    await allowConnections(true);
    await expect.poll(() => holdersOf(instance), { interval: 5 }).toHaveLength(1);
    const failed = tries.length;
    await new Promise((resolve) => setTimeout(resolve, 10 * REJOIN_MS));
    expect(await countConnections()).toBe(others + 1);
    expect(tries).toHaveLength(failed);
  });

  it('tries no more after it left, and leaves no connection', async () => {
    const tries: string[] = [];
    const log = openLog({ level: 'debug', destination: { write: (line) => void tries.push(line) } });
    const others = await countConnections();
    const instance = await join(log);
    await allowConnections(false);
    await cut(await holdersOf(instance));
    await expect.poll(() => tries.some((line) => line.includes('cannot rejoin')), { interval: 5 }).toBe(true);
    await instance.leave();
    await allowConnections(true);
    await new Promise((resolve) => setTimeout(resolve, 10 * REJOIN_MS));
    expect(await countConnections()).toBe(others);
  });

  it('throws when there is no server at the start, and does not go on trying', async () => {
    const tries: string[] = [];
    const log = openLog({ level: 'debug', destination: { write: (line) => void tries.push(line) } });
    await expect(joinAsInstance({ host: '/nonexistent' }, log, { rejoinMs: 1 })).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(tries).toEqual([]);
  });
});
