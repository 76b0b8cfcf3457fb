import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { openLog, silentLog } from '../../../src/kernel/log.ts';
import { ALIVE_LOCKS, type Instance, joinAsInstance } from '../../../src/ledger/engine/instance.ts';
import { SEARCH_PATH } from '../../../src/ledger/engine/schema.ts';
import { openLedger } from '../../../src/ledger/engine/open-ledger.ts';
import { withLock } from '../../../src/ledger/engine/with-lock.ts';
import { claimForTest } from '../../support/claim-for-test.ts';
import { relayDatabase } from '../../support/database-relay.ts';
import { OF_THIS_DATABASE } from '../../support/force-sql.ts';
import { claimOf, openTestLedger, START } from '../../support/ledger-world.ts';

const world = openedForTests(() => openTestLedger({ sessions: 'ended' }));

describe('openLedger', () => {
  it('gives up a server that does not answer, and goes on when it does', async () => {
    const relay = await relayDatabase(world.url);
    onTestFinished(() => relay.close());
    const ledger = await openLedger({ url: relay.url }, { clock: handClock(START), log: silentLog(), answerMs: 2_000 });
    onTestFinished(() => ledger.close());
    const claim = claimOf();
    let asks = true;
    relay.decide((said) => (asks && said.includes('commit_claims') ? 'keep' : 'pass'));
    await expect(claimForTest(ledger, claim)).rejects.toThrow('Query read timeout');
    await expect(withLock(ledger, 'a thing', () => claimForTest(ledger, claim))).rejects.toThrow('Query read timeout');
    asks = false;
    expect(await claimForTest(ledger, claim)).toBe(true);
    expect(await withLock(ledger, 'a thing', async () => 'in')).toBe('in');
  });
});

const REJOIN_MS = 10;

async function join(
  log = silentLog(),
  more: { settleMs?: number; beatMs?: number; dutyMs?: number } = {},
): Promise<Instance> {
  const instance = await joinAsInstance({ connectionString: world.url }, log, { rejoinMs: REJOIN_MS, ...more });
  onTestFinished(() => instance.leave());
  return instance;
}

/** A log and the lines that were written to it. */
function noteLines() {
  const lines: string[] = [];
  return { lines, log: openLog({ level: 'debug', destination: { write: (line) => void lines.push(line) } }) };
}

/** Waits until the instance has the lock on a connection that it did not have before. */
async function comesBack(instance: Instance, before: readonly number[]): Promise<void> {
  const fresh = async () => (await holdersOf(instance)).filter((pid) => !before.includes(pid));
  await expect.poll(fresh, { interval: 5 }).toHaveLength(1);
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
    await comesBack(instance, before);
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
    await comesBack(instance, before);
  });

  it('is not settled from the loss of its connection until some time after it is back', async () => {
    const instance = await join(silentLog(), { settleMs: 200 });
    expect(instance.isSettled()).toBe(true);
    const before = await holdersOf(instance);
    await cut(before);
    await expect.poll(() => instance.isSettled(), { interval: 5 }).toBe(false);
    await expect.poll(() => instance.isSettled(), { interval: 5 }).toBe(true);
    expect(await holdersOf(instance)).toHaveLength(1);
  });

  it('has a duty that one process has at a time, until that one is gone', async () => {
    const [one, other] = [await join(), await join()];
    expect(await Promise.all([one.hasDuty('a'), one.hasDuty('a'), one.hasDuty('b')])).toEqual([true, true, true]);
    expect([await other.hasDuty('a'), await other.hasDuty('c')]).toEqual([false, true]);
    await one.leave();
    await expect.poll(() => other.hasDuty('a')).toBe(true);
  });

  it('loses a duty with its connection', async () => {
    const [one, other] = [await join(), await join()];
    expect(await one.hasDuty('a')).toBe(true);
    const before = await holdersOf(one);
    await cut(before);
    await expect.poll(() => other.hasDuty('a')).toBe(true);
    await comesBack(one, before);
    await expect.poll(() => one.hasDuty('a').catch(() => 'not yet')).toBe(false);
  });

  it('drops a duty that nobody asks it for, and takes it again', async () => {
    const [one, other] = [await join(silentLog(), { beatMs: 10, dutyMs: 50 }), await join()];
    expect(await one.hasDuty('a')).toBe(true);
    await expect.poll(() => other.hasDuty('a')).toBe(true);
    await other.leave();
    await expect.poll(() => one.hasDuty('a')).toBe(true);
  });

  /** Signs of life of an instance, by the clock of the database. */
  const signsOf = async ({ id }: Instance) => {
    const { rows } = await world.ledger.pool.query<{ site: string; roles: string[]; seen_at: Date; listed: boolean }>(
      'SELECT site, roles, seen_at, listed_at IS NOT NULL AS listed FROM process WHERE process_id = $1',
      [id],
    );
    return rows;
  };
  const presence = { site: 'main', roles: new Set(['watch'] as const), stays: true, listedMs: () => 1_000 };
  const inSchema = () => ({ connectionString: world.url, options: `-c search_path=${SEARCH_PATH}` });

  it('gives signs of life from its announcement on, and a last one when it departs', async () => {
    const instance = await joinAsInstance(inSchema(), silentLog(), { rejoinMs: REJOIN_MS, beatMs: 10 });
    onTestFinished(() => instance.leave());
    expect(await signsOf(instance)).toEqual([]);
    await instance.announce(presence);
    const [first] = await signsOf(instance);
    expect(first).toMatchObject({ site: 'main', roles: ['watch'], listed: true });
    const seenAfter = async (moment: Date) => (await signsOf(instance))[0]!.seen_at > moment;
    await expect.poll(() => seenAfter(first!.seen_at), { interval: 5 }).toBe(true);
    const before = await holdersOf(instance);
    await cut(before);
    await comesBack(instance, before);
    const [back] = await signsOf(instance);
    await expect.poll(() => seenAfter(back!.seen_at), { interval: 5 }).toBe(true);
    await instance.depart();
    // A question waits for a sign that had begun.
    await instance.hasDuty('any');
    const [last] = await signsOf(instance);
    await pause(50);
    await instance.hasDuty('any');
    expect(await signsOf(instance)).toEqual([last]);
  });

  it('keeps its connection and its lock when a sign of life is refused', async () => {
    const { lines, log } = noteLines();
    const readOnly = { ...inSchema(), options: `${inSchema().options} -c default_transaction_read_only=on` };
    const instance = await joinAsInstance(readOnly, log, { rejoinMs: REJOIN_MS, beatMs: 10 });
    onTestFinished(() => instance.leave());
    const before = await holdersOf(instance);
    await instance.announce(presence);
    await expect.poll(() => lines.filter((line) => line.includes('sign of life')).length).toBeGreaterThan(2);
    expect(await holdersOf(instance)).toEqual(before);
    expect(instance.isSettled()).toBe(true);
  });

  it('removes processes that have been gone for a month when it gives its first sign', async () => {
    await world.ledger.pool.query(
      `INSERT INTO process SELECT name, name, 'main', '{web}', true, at, at
       FROM (VALUES ('old', now() - interval '31 days'), ('new', now() - interval '29 days')) v (name, at)`,
    );
    const instance = await joinAsInstance(inSchema(), silentLog());
    onTestFinished(() => instance.leave());
    await instance.announce(presence);
    const { rows } = await world.ledger.pool.query<{ process_id: string }>('SELECT process_id FROM process');
    expect(rows.map((row) => row.process_id)).toEqual(expect.arrayContaining(['new', instance.id]));
    expect(rows.map((row) => row.process_id)).not.toContain('old');
  });

  it('comes back with one connection, however often it had to try', async () => {
    const { lines: tries, log } = noteLines();
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
    const { lines: tries, log } = noteLines();
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
    const { lines: tries, log } = noteLines();
    await expect(joinAsInstance({ host: '/nonexistent' }, log, { rejoinMs: 1 })).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(tries).toEqual([]);
  });
});
