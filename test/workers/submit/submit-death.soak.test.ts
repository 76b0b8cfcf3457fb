import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import type { BatchKey } from '../../../src/ledger/engine/move.ts';
import { startWorkers } from '../../../workers/main.ts';
import { submitBatch } from '../../../workers/submit/submit.ts';
import { sweep } from '../../../workers/upkeep/sweep.ts';
import { type Child, nextLine, startChild } from '../../files/support/run-child.ts';
import { take } from '../../support/scripted-service.ts';
import { agentCodeOf, stepWorld } from '../support/step-world.ts';
import type { Orders } from '../support/submit-child.ts';

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
      moves: ['prepare', 'send', 'doubt'],
      journal: [1],
      maySend: false,
    });

    world.service.play(agentCodeOf(account), take);
    await runWorkersUntilSent(await world.takeInCharges(other, 4));
    expect(world.service.posts(agentCodeOf(other))).toBe(2);
    expect(world.service.posts(agentCodeOf(account))).toBe(1);
    expect((await world.storyOf({ fileId, batchNo: 2 })).state).toBe('ready');
  });

  it('between taking the batch and sending it: the batch is ready, and goes out once', async () => {
    const account = world.freshAccount();
    const key = { fileId: await world.takeInCharges(account, 2), batchNo: 1 };
    const child = await submitInChild(key, true);
    expect((await world.storyOf(key)).state).toBe('preparing');
    await sweep(world.app);
    expect((await world.storyOf(key)).state).toBe('preparing');
    child.process.kill('SIGKILL');
    await child.ended;
    await sweepUntil(key, 'ready');
    expect(await world.storyOf(key)).toMatchObject({ attempt: 1, attempts: [], journal: [], maySend: true });

    await submitBatch(world.app, key);
    expect(world.service.posts(agentCodeOf(account))).toBe(1);
    expect(await world.storyOf(key)).toMatchObject({ state: 'submitted', attempt: 1, journal: [1] });
  });
});

describe('a worker that sleeps through its lease', () => {
  it('sends nothing when it wakes up: another one has sent the batch meanwhile', async () => {
    const key = { fileId: await world.takeInCharges('sleepy', 2), batchNo: 1 };
    const child = await submitInChild(key, true);
    child.process.kill('SIGSTOP');
    await sweepUntil(key, 'ready');
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
