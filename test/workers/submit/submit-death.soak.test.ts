import { chargedOf } from '../../support/bind-for-test.ts';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import type { BatchKey } from '../../../src/ledger/engine/move.ts';
import { startWorkers } from '../../../workers/main.ts';
import { submitStage } from '../../../workers/submit/submit.ts';
import { sweep } from '../../../workers/upkeep/sweep.ts';
import { type Child, nextLine, startChild } from '../../files/support/claims.ts';
import { take } from '../../support/scripted-service.ts';
import { agentCodeOf, stepWorld } from '../support/step-world.ts';
import type { Orders } from '../support/submit-child.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { mayBeSent } from '../../../workers/submit/submit.ts';
import { answering } from '../support/scripted-gateway.ts';
import { dueOf, nextDueOf } from '../support/stage-steps.ts';
import { storyOf, takeInCharges } from '../support/story.ts';
import { deliverFile, submitBatch } from '../../support/work-alone.ts';

/** A real process submits a batch, and dies or sleeps at the worst moment. */

const world = stepWorld({
  accounts: 4,
  special: { sleepy: { leaseMs: 400 } },
  settings: { sweepMs: 50, rescanMs: 200 },
});

async function submitInChild(key: BatchKey, waitsBeforeSending = false): Promise<Child> {
  const orders: Orders = {
    settings: { ...world.settings, accounts: [...world.settings.accounts] },
    key,
    waitsBeforeSending,
  };
  const path = join(world.root, `orders-${key.fileId}.json`);
  await writeFile(path, JSON.stringify(orders), { mode: 0o600 });
  const child = await startChild('test/workers/support/submit-child.ts', [path]);
  expect(await nextLine(child)).toBe('prepared');
  return child;
}

/** Sweeps until the batch has this state. A dead process is noticed once the database loses its connection. */
async function sweepUntil(key: BatchKey, state: string): Promise<void> {
  await expect
    .poll(
      async () => {
        await sweep(world.app);
        return (await world.batch(key)).state;
      },
      { interval: 20 },
    )
    .toBe(state);
}

describe('a worker that is killed', () => {
  it('while the service holds its answer: the batch is unknown and is never sent again', async () => {
    const [account, other] = [world.freshAccount(), world.freshAccount()];
    const fileId = await world.takeInCharges(account, 4);
    const key = { fileId, batchNo: 1 };
    const asked = new Promise<void>((resolve) => world.service.play(agentCodeOf(account), () => resolve()));
    const child = await submitInChild(key);
    await asked;
    child.process.kill('SIGKILL');
    await child.ended;
    await sweepUntil(key, 'unknown');
    expect(await world.storyOf(key)).toMatchObject({
      attempts: [{ attempt: 1, verdict: 'unknown' }],
      moves: ['send', 'doubt'],
      journal: [1],
      maySend: false,
    });

    world.service.play(agentCodeOf(account), take);
    await runWorkersUntilSent(await world.takeInCharges(other, 4));
    expect(world.service.posts(agentCodeOf(other))).toBe(2);
    expect(world.service.posts(agentCodeOf(account))).toBe(1);
    expect((await world.storyOf({ fileId, batchNo: 2 })).state).toBe('ready');
  });

  it('before it declares the call: the batch is as it was, and goes out once', async () => {
    const account = world.freshAccount();
    const key = { fileId: await world.takeInCharges(account, 2), batchNo: 1 };
    const child = await submitInChild(key, true);
    child.process.kill('SIGKILL');
    await child.ended;
    expect(await world.storyOf(key)).toMatchObject({
      state: 'ready',
      attempts: [],
      moves: [],
      journal: [],
      maySend: true,
    });

    await submitBatch(world.app, key);
    expect(world.service.posts(agentCodeOf(account))).toBe(1);
    expect(await world.storyOf(key)).toMatchObject({ state: 'submitted', attempt: 1, journal: [1] });
  });
});

describe('a worker that sleeps before it declares its call', () => {
  it('sends nothing when it wakes up: another one has sent the batch meanwhile', async () => {
    const key = { fileId: await world.takeInCharges('sleepy', 2), batchNo: 1 };
    const child = await submitInChild(key, true);
    child.process.kill('SIGSTOP');
    await submitBatch(withLongLease(world.app), key);
    expect(world.service.posts(agentCodeOf('sleepy'))).toBe(1);

    child.process.stdin.write('go\n');
    child.process.kill('SIGCONT');
    expect(await nextLine(child)).toBe('submitted');
    expect((await child.ended).code).toBe(0);
    expect(world.service.posts(agentCodeOf('sleepy'))).toBe(1);
    expect(await world.storyOf(key)).toMatchObject({
      state: 'submitted',
      attempts: [{ attempt: 1, verdict: 'submitted' }],
      journal: [1],
    });
  });
});

describe('send window', () => {
  /** Sending from 20:00 to 6:00 UTC, through all stages involved. */

  const world = stepWorld({ accounts: 12 });

  const clock = handClock('2026-06-15T12:00:00Z');
  const TAKEN = { kind: 'submitted', batchId: '1', text: 'taken' } as const;

  let app: App;
  let account: string;
  let fileId: string;
  /** Each test gets its own account with a file of two batches. The other accounts have no window. */
  beforeEach(async () => {
    account = world.freshAccount();
    const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
    const window = { from: '20:00', to: '06:00', days: [...days], holidays: ['2026-06-18'] };
    const accounts = new Map(world.settings.accounts);
    accounts.set(account, { ...accounts.get(account)!, window });
    const ledger = { ...world.app.ledger, clock };
    app = {
      ...world.app,
      clock,
      ledger,
      settings: { ...world.settings, accounts },
      account: (name) => accounts.get(name)!,
    };
    clock.set('2026-06-15T12:00:00Z');
    fileId = await takeInCharges(app, account, 4);
    await deliverFile(app, { fileId });
  });

  async function send(batchNo = 1, batchId = `${account}-${batchNo}`): Promise<number> {
    const scripted = answering(app, { ...TAKEN, batchId });
    await submitBatch(scripted.app, { fileId, batchNo });
    return scripted.bodies.length;
  }

  describe('a window that is closed', () => {
    it('lets nothing be prepared, without a stop and without a trace', async () => {
      for (const at of ['2026-06-15T06:00:00Z', '2026-06-15T19:59:59.999Z']) {
        clock.set(at);
        expect(mayBeSent(app, account)).toBe(false);
        expect(await send()).toBe(0);
      }
      const story = await storyOf(app, { fileId, batchNo: 1 });
      expect(story).toMatchObject({ state: 'ready', moves: [], stop: undefined, journal: [] });
    });

    it('lets a batch be sent as long as it is open, the next one after it too', async () => {
      clock.set('2026-06-15T20:00:00Z');
      expect(await send(1)).toBe(1);
      clock.set('2026-06-16T05:59:59.999Z');
      expect(await send(2)).toBe(1);
      expect((await storyOf(app, { fileId, batchNo: 2 })).state).toBe('submitted');
    });

    it('lets a call that has begun in it go on to its end behind it', async () => {
      clock.set('2026-06-16T05:59:59.999Z');
      const scripted = answering(app, { ...TAKEN, batchId: `${account}-slow` });
      const gateway = scripted.app.gateway(chargedOf(app.ledger, account));
      const slow = {
        ...gateway,
        submitBatch: (call: Parameters<typeof gateway.submitBatch>[0]) => {
          clock.set('2026-06-16T06:00:10Z');
          return gateway.submitBatch(call);
        },
      };
      await submitBatch({ ...scripted.app, gateway: () => slow }, { fileId, batchNo: 1 });
      expect((await storyOf(app, { fileId, batchNo: 1 })).state).toBe('submitted');
      expect(await send(2)).toBe(0);
    });

    it('has nothing due, and the stage looks again when it opens', async () => {
      expect(await dueOf(app, submitStage())).not.toContainEqual({ account });
      expect(await nextDueOf(app, submitStage())).toEqual(new Date('2026-06-15T20:00:00Z'));
    });

    it('is found open by the stage at that time', async () => {
      clock.set('2026-06-15T20:00:00Z');
      expect(await dueOf(app, submitStage())).toContainEqual({ account });
    });

    it('lets every other account send', async () => {
      const other = world.freshAccount();
      const theirs = await takeInCharges(app, other, 2);
      const scripted = answering(app, { ...TAKEN, batchId: 'theirs' });
      await submitBatch(scripted.app, { fileId: theirs, batchNo: 1 });
      expect(scripted.bodies).toHaveLength(1);
    });
  });

  describe('mayBeSent', () => {
    it('is so of an account without a window, and of one that has left the configuration', () => {
      expect(mayBeSent(app, world.freshAccount())).toBe(true);
      expect(mayBeSent(app, 'gone')).toBe(true);
    });
  });
});

/** The sleeper's lease is short to save time here. The worker that is awake must not lose its own. */
function withLongLease(app: App): App {
  return { ...app, account: (name) => ({ ...app.account(name), leaseMs: 60_000 }) };
}

/** Runs every stage until all batches of another account's file are sent. */
async function runWorkersUntilSent(fileId: string): Promise<void> {
  const workers = await startWorkers(world.app);
  const isSent = async () => {
    const rows = await world.query<{ state: string }>('SELECT state FROM batch WHERE file_id = $1', [fileId]);
    return rows.every((row) => row.state === 'submitted');
  };
  await expect.poll(isSent, { timeout: 120_000, interval: 50 }).toBe(true);
  await workers.stop();
}
