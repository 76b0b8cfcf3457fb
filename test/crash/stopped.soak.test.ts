import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DatabaseRelay, relayDatabase } from '../support/database-relay.ts';
import { agentCodeOf } from '../support/installation.ts';
import { startScriptedService, take, takenAnswer } from '../support/scripted-service.ts';
import { type CrashSite, openCrashSite } from './support/crash-site.ts';
import type { Daemon } from '../support/daemon.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

/**
 * A process is stopped, as by a debugger, a host out of memory or a moving virtual machine. It goes on long after
 * others did its work. It reaches the database through a relay, where the test sees how far it has come; nothing is
 * timed.
 */

const ACCOUNTS = ['before', 'during', 'withdrawn'];
const service = openedForTests(startScriptedService);
let site: CrashSite;
let relay: DatabaseRelay;
/** Takes every batch until it is stopped. Then the other process wakes, which was stopped while idle. */
let sleeper: Daemon;
let other: Daemon;
beforeAll(async () => {
  site = await openCrashSite({
    accounts: ACCOUNTS,
    serviceUrl: service.url,
    account: { leaseMs: 1_000 },
    settings: { sweepMs: 200, rescanMs: 300, batch: { maxRows: 2 } },
  });
  relay = await relayDatabase(site.databaseUrl);
  other = site.start();
  await other.said(/paydrop is running/);
  sleeper = site.start({ env: { DATABASE_URL: relay.url } });
  await sleeper.said(/paydrop is running/);
});
afterAll(async () => {
  await site?.close();
  relay?.close();
});

/** The first log line that belongs to this test. */
let mark = 0;
beforeEach(() => {
  other.signal('SIGSTOP');
  mark = sleeper.lines.length;
});

function fallAsleep(): void {
  sleeper.signal('SIGSTOP');
  other.signal('SIGCONT');
}

/**
 * Same, but outside of a transaction, whose locks would hold up the other process for a minute. The ledger allows for
 * that (open-ledger.ts), but it is not tested here.
 */
async function fallAsleepWithoutLocks(): Promise<void> {
  fallAsleep();
  await setTimeout(OLD_MS);
  while (await hasOldTransaction()) {
    sleeper.signal('SIGCONT');
    await setTimeout(10);
    sleeper.signal('SIGSTOP');
    await setTimeout(OLD_MS);
  }
}

async function hasOldTransaction(): Promise<boolean> {
  const open = await site.query(
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND xact_start < clock_timestamp() - $1 * interval '1 millisecond'`,
    [OLD_MS],
  );
  return open.length > 0;
}

/** A process that is awake ends its transactions much sooner. */
const OLD_MS = 500;

function wakeUp(): void {
  relay.heal();
  sleeper.signal('SIGCONT');
}

function posts(account: string): number {
  return service.posts(agentCodeOf(account));
}

async function stateOf(account: string): Promise<string | undefined> {
  return (await site.batches(account))[0]?.state;
}

function expectState(account: string, state: string): Promise<void> {
  return expect
    .poll(() => stateOf(account), { timeout: 120_000, interval: 20 })
    .toBe(state)
    .catch((cause: unknown) => {
      throw new Error(`the other process said last:\n${JSON.stringify(other.lines.slice(-5), null, 2)}`, { cause });
    });
}

/** Matches the declaration of a call, by its reason. */
const INTENT = /attempt 1 begins/;

/** Fulfilled when the process sends this statement, which the relay then holds back. */
function heldAt(statement: RegExp, fate: 'keep' | 'delay' = 'keep'): Promise<void> {
  return new Promise((resolve) => {
    let isHeld = false;
    relay.decide((said) => {
      if (isHeld || !statement.test(said)) return 'pass';
      isHeld = true;
      resolve();
      return fate;
    });
  });
}

describe('a process that is stopped', () => {
  it('before it declares its intent, for longer than its lease: another one sends, and it does not', async () => {
    const account = 'before';
    const aboutToSend = heldAt(INTENT);
    await site.dropCharges(account, 'june.csv', 2);
    await aboutToSend;
    expect(await stateOf(account)).toBe('ready');
    fallAsleep();

    await expectState(account, 'submitted');
    expect(posts(account)).toBe(1);

    wakeUp();
    // The statement that was held back gets through now.
    await setTimeout(1_000);
    expect(posts(account)).toBe(1);
    // A try of the other process that takes longer than the lease of a second, on a busy machine, is withdrawn.
    const moves = await site.moves(account);
    expect(moves.join(' ')).toMatch(/^(send unsent )*send submit$/);
    expect(await site.journal(account)).toHaveLength(moves.filter((move) => move === 'send').length);
  });

  it('in the middle of the call, for longer than the longest call: in doubt, account stopped, late answer kept', async () => {
    const account = 'during';
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      service.play(agentCodeOf(account), (socket, request) => {
        answer = () => socket.end(takenAnswer(request, '7700001'));
        resolve();
      });
    });
    await site.dropCharges(account, 'june.csv', 4);
    await asked;
    expect(await stateOf(account)).toBe('sending');
    await fallAsleepWithoutLocks();
    // The sleeper's lock shows that it is alive, so only its lease can end the call; the test moves the lease.
    expect(await stateOf(account)).toBe('sending');
    await site.query(
      `UPDATE batch SET lease_until = now() - interval '1 hour' WHERE account = $1 AND state = 'sending'`,
      [account],
    );
    await expectState(account, 'unknown');
    await other.said(/batch in doubt/);

    answer();
    wakeUp();
    await sleeper.said(/the answer arrived after the batch had its verdict/, mark);
    expect(await site.moves(account)).toEqual(['send', 'doubt', 'late-answer']);
    const [late] = await site.query<{ reason: string }>(
      `SELECT reason FROM audit WHERE move = 'late-answer' AND reason LIKE '%7700001%'`,
    );
    expect(late?.reason).toBe('the service gave it batch id 7700001');
    expect((await site.batches(account)).map((batch) => batch.state)).toEqual(['unknown', 'ready']);
  });

  it('between the commit of its intent and its first byte: it withdraws the intent, and nothing leaves late', async () => {
    const account = 'withdrawn';
    const committed = heldAt(INTENT, 'delay');
    await site.dropCharges(account, 'june.csv', 2);
    await committed;
    await expectState(account, 'sending');
    fallAsleep();
    // The intent began before the lease ran out, so it is older than a lease once that was a lease ago.
    const isOld = async () =>
      (await site.query(`SELECT 1 FROM batch WHERE account = $1 AND lease_until < now() - interval '1 s'`, [account]))
        .length;
    await expect.poll(isOld).toBe(1);
    await site.query(`UPDATE batch SET lease_until = now() - interval '1 hour' WHERE account = $1`, [account]);
    await expectState(account, 'unknown');

    wakeUp();
    await sleeper.said(/the intent to send is withdrawn/, mark);
    await sleeper.said(/nothing was sent/, mark);
    await expect.poll(() => site.moves(account)).toEqual(['send', 'doubt', 'late-answer']);
    expect(posts(account)).toBe(0);
    // Both processes were awake and came by since then: nothing leaves an account in doubt.
    expect(posts('during')).toBe(1);
    expect(posts('before')).toBe(1);
    expect((await site.batches('during')).map((batch) => batch.state)).toEqual(['unknown', 'ready']);
  });
});

/** SIGTERM, as a person, a service manager or a container sends it. */
describe('a process that is asked to stop', () => {
  const service = openedForTests(startScriptedService);
  const site = openedForTests(() =>
    openCrashSite({
      accounts: ['once', 'twice'],
      serviceUrl: service.url,
      settings: { sweepMs: 200, rescanMs: 300, batch: { maxRows: 2 } },
    }),
  );

  /** Starts a process with a call in progress that the service answers only when told to. */
  async function startWithCall(account: string): Promise<{ daemon: Daemon; answer: () => void }> {
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      service.play(agentCodeOf(account), (socket, request) => {
        answer = () => {
          service.play(agentCodeOf(account), take);
          take(socket, request);
        };
        resolve();
      });
    });
    await site.dropCharges(account, 'june.csv', 6);
    const daemon = site.start();
    await asked;
    return { daemon, answer: () => answer() };
  }

  async function statesOf(account: string): Promise<string[]> {
    return (await site.batches(account)).map((batch) => batch.state);
  }

  describe('SIGTERM in the middle of a call', () => {
    it('once: the call is waited for, its answer recorded, nothing else begun, and the exit status is 0', async () => {
      const { daemon, answer } = await startWithCall('once');
      daemon.signal('SIGTERM');
      await daemon.said(/stopping: waiting for running calls/);
      // A new drop shows that nothing is claimed any more.
      await site.dropCharges('once', 'july.csv', 2);
      expect(await statesOf('once')).toEqual(['sending', 'ready', 'ready']);
      answer();
      expect(await daemon.ended).toBe(0);
      expect(await statesOf('once')).toEqual(['submitted', 'ready', 'ready']);
      expect(service.posts(agentCodeOf('once'))).toBe(1);
      expect(await site.query(`SELECT name FROM file WHERE account = 'once'`)).toEqual([{ name: 'june.csv' }]);
    });

    it('twice: it ends at once; the next start puts the call in doubt and loses nothing', async () => {
      const { daemon } = await startWithCall('twice');
      // A call of the other account that was cut off would be in doubt too.
      const allOf = (count: number) => Array.from({ length: count }, () => 'submitted');
      await expect.poll(() => statesOf('once')).toEqual(allOf(4));
      daemon.signal('SIGTERM');
      await daemon.said(/stopping: waiting for running calls/);
      daemon.signal('SIGTERM');
      expect(await daemon.ended).toBe('SIGTERM');
      expect(await statesOf('twice')).toEqual(['sending', 'ready', 'ready']);

      const next = site.start();
      await next.said(/paydrop is running/);
      await expect.poll(() => statesOf('twice'), { timeout: 120_000 }).toEqual(['unknown', 'ready', 'ready']);
      // The other account sends meanwhile, so there was enough time for a second send.
      await site.dropCharges('once', 'august.csv', 4);
      await expect.poll(() => statesOf('once')).toEqual(allOf(6));
      next.signal('SIGTERM');
      expect(await next.ended).toBe(0);
      expect(service.posts(agentCodeOf('twice'))).toBe(1);
      expect(await statesOf('twice')).toEqual(['unknown', 'ready', 'ready']);
    });
  });
});
