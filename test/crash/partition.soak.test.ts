import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DatabaseRelay, type Fate, relayDatabase } from '../support/database-relay.ts';
import { agentCodeOf } from '../support/installation.ts';
import { type ScriptedService, startScriptedService, takenAnswer } from '../support/scripted-service.ts';
import { type CrashSite, openCrashSite, type SiteOptions } from './support/crash-site.ts';
import type { Daemon } from '../support/daemon.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

/**
 * The network between a process and its database fails at every step of a call. Whatever is lost, at most one request
 * leaves, and work goes on by itself when the network is back.
 */

type Step = {
  name: string;
  /** What the process says to the database at this step. */
  says: RegExp;
  fate: Fate;
  /** Whether everything else is cut off too, or hangs. */
  afterwards?: 'cut' | 'hang';
  /** Longer than any delay of a slow machine, unless it must run out. */
  leaseMs?: number;
  /** The verdicts that the ledger keeps of the attempts. */
  attempts: string[];
};

const INTENT = /attempt 1 begins/;
const VERDICT = /the service gave it batch id/;

const STEPS: readonly Step[] = [
  { name: 'the intent is lost', says: INTENT, fate: 'lose', afterwards: 'cut', attempts: ['submitted'] },
  { name: 'the intent hangs', says: INTENT, fate: 'keep', afterwards: 'hang', attempts: ['submitted'] },
  {
    name: 'the intent is committed and its answer lost',
    says: INTENT,
    fate: 'deafen',
    attempts: ['not_sent', 'submitted'],
  },
  {
    name: 'the intent is committed and its answer comes after the lease',
    says: INTENT,
    fate: 'delay',
    afterwards: 'hang',
    leaseMs: 1_000,
    attempts: ['not_sent', 'submitted'],
  },
  { name: 'the verdict is lost', says: VERDICT, fate: 'lose', afterwards: 'cut', attempts: ['submitted'] },
  { name: 'the verdict hangs', says: VERDICT, fate: 'keep', afterwards: 'hang', attempts: ['submitted'] },
  { name: 'the verdict is committed, its answer lost', says: VERDICT, fate: 'deafen', attempts: ['submitted'] },
];

const PATIENT = { interval: 20 };

/** Takes one process through all of these steps, each with its own account. */
describe('the network to the database fails', () => {
  const ACCOUNTS = [...STEPS.keys()].map((index) => `step-${index}`);
  let opened: RelayedSite;
  let site: CrashSite;
  let relay: DatabaseRelay;
  beforeAll(async () => {
    const leases = STEPS.map(({ leaseMs = 30_000 }, index) => [ACCOUNTS[index], { leaseMs }]);
    opened = await openRelayedSite({ accounts: ACCOUNTS, special: Object.fromEntries(leases) });
    ({ site, relay } = opened);
  });
  afterAll(() => opened?.close());

  function posts(account: string): number {
    return opened.service.posts(agentCodeOf(account));
  }

  /**
   * Fulfilled when the network has failed at this step.
   * @param earlier files of other steps, which are ignored: the sweep may have queued one of them again
   */
  function failAt(
    { says, fate, afterwards }: Pick<Step, 'says' | 'fate' | 'afterwards'>,
    earlier: readonly { file_id: string }[],
  ): Promise<void> {
    return new Promise((resolve) => {
      let isDone = false;
      relay.decide((said) => {
        if (isDone || !says.test(said) || earlier.some((file) => said.includes(file.file_id))) return 'pass';
        isDone = true;
        // Runs after this fate has applied to its own connection.
        setImmediate(() => {
          if (afterwards) relay[afterwards]();
          resolve();
        });
        return fate;
      });
    });
  }

  function attemptsOf(account: string): Promise<{ verdict: string | null }[]> {
    return site.query('SELECT verdict FROM attempt JOIN file USING (file_id) WHERE account = $1 ORDER BY attempt', [
      account,
    ]);
  }

  it.each(STEPS.map((step, index) => ({ ...step, account: ACCOUNTS[index]! })))(
    '$name: sent once, and nothing is stuck',
    async ({ account, attempts, leaseMs, ...step }) => {
      const failed = failAt(step, await site.query<{ file_id: string }>('SELECT file_id FROM file'));
      await site.dropCharges(account, 'june.csv', 2);
      await failed;
      const sentBefore = posts(account);
      expect(sentBefore).toBe(step.says === VERDICT ? 1 : 0);
      await expect.poll(() => site.query(`SELECT 1 FROM file WHERE account = $1`, [account]), PATIENT).toHaveLength(1);
      if (leaseMs) await isOlderThan(account, leaseMs);
      expect(posts(account)).toBe(sentBefore);
      relay.heal();

      await expect.poll(async () => (await site.batches(account))[0]?.state, PATIENT).toBe('submitted');
      const verdicts = (await attemptsOf(account)).map(({ verdict }) => verdict);
      expect(verdicts.slice(-attempts.length)).toEqual(attempts);
      // On a slow machine a short lease may run out once more.
      expect(leaseMs ? new Set(verdicts.slice(0, -1)) : verdicts).toEqual(leaseMs ? new Set(['not_sent']) : attempts);
      expect(posts(account)).toBe(1);
      expect(await site.stopOf(account)).toBeUndefined();
      const intents = (await site.journal(account)).filter((entry) => !entry.answer);
      expect(new Set(intents.map((entry) => entry.attempt)).size).toBe(intents.length);
      expect(intents.at(-1)?.attempt).toBe(verdicts.length);
    },
    60_000,
  );

  /** Waits until everything the process began under its lease is older than a lease, by the database's clock. */
  async function isOlderThan(account: string, leaseMs: number): Promise<void> {
    await expect
      .poll(
        () =>
          site.query(
            `SELECT 1 FROM file JOIN batch USING (file_id) WHERE file.account = $1
           AND lease_until < clock_timestamp() - $2 * interval '1 millisecond'`,
            [account, leaseMs],
          ),
        PATIENT,
      )
      .toHaveLength(1);
  }
});

/** The network to the database fails when the service's answer comes, and another process puts the batch in doubt. */
describe('the network fails when the answer comes', () => {
  const PATIENT = { timeout: 120_000, interval: 50 };
  const opened = openedForTests(() => openRelayedSite({ accounts: ['watched'] }));

  it('the answer is kept beside the doubt that the other one has put the batch in, and nothing leaves again', async () => {
    const { service, site, relay, daemon } = opened;
    const account = 'watched';
    service.play(agentCodeOf(account), (socket, request) => {
      relay.cut();
      socket.end(takenAnswer(request, '7800001'));
    });
    await site.dropCharges(account, 'june.csv', 4);
    const said = await daemon.said(/the ledger does not accept the answer of the service yet/);
    expect(said['answer']).toEqual({ verdict: 'submitted', batchId: '7800001' });
    await expect
      .poll(() => site.journal(account), PATIENT)
      .toMatchObject([{ attempt: 1 }, { attempt: 1, answer: { verdict: 'submitted', batchId: '7800001' } }]);
    const other = site.start();
    await other.said(/paydrop is running/);
    await expect
      .poll(async () => (await site.batches(account)).map((batch) => batch.state), PATIENT)
      .toEqual(['unknown', 'ready']);

    relay.heal();
    await expect.poll(() => site.moves(account), PATIENT).toEqual(['send', 'doubt', 'late-answer']);
    for (const running of [daemon, other]) {
      running.signal('SIGTERM');
      expect(await running.ended).toBe(0);
    }
    expect(service.posts(agentCodeOf(account))).toBe(1);
    expect((await site.batches(account)).map((batch) => batch.state)).toEqual(['unknown', 'ready']);
  });
});

/** A running process whose network to its database can fail at any step. */
type RelayedSite = {
  readonly service: ScriptedService;
  readonly site: CrashSite;
  readonly relay: DatabaseRelay;
  readonly daemon: Daemon;
  close(): Promise<void>;
};

async function openRelayedSite(options: Pick<SiteOptions, 'accounts' | 'special'>): Promise<RelayedSite> {
  const service = await startScriptedService();
  const settings = { sweepMs: 200, rescanMs: 300, batch: { maxRows: 2 } };
  const site = await openCrashSite({ ...options, serviceUrl: service.url, settings });
  const relay = await relayDatabase(site.databaseUrl);
  const daemon = site.start({ env: { DATABASE_URL: relay.url } });
  await daemon.said(/paydrop is running/);
  return {
    service,
    site,
    relay,
    daemon,
    close: async () => {
      await site.close();
      relay.close();
      await service.close();
    },
  };
}
