import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { App } from '../../src/app.ts';
import { PipelineError } from '../../src/kernel/errors.ts';
import { startHealth } from '../../src/kernel/health.ts';
import { startWorkers } from '../../workers/main.ts';
import { submitBatch } from '../../workers/submit/submit.ts';
import { achRow, lines } from '../support/payment-rows.ts';
import { take } from '../support/scripted-service.ts';
import { cutAtStatement, POWER_CUT } from './support/failing-app.ts';
import { answering } from './support/scripted-gateway.ts';
import { agentCodeOf, stepWorld } from './support/step-world.ts';
import { loseQueue, readStop } from './support/story.ts';

const world = stepWorld({ accounts: 12, settings: { sweepMs: 60, rescanMs: 100 } });

/** Runs the workers while a test observes them. */
async function whileWorking<Result>(look: () => Promise<Result>, app: App = world.app): Promise<Result> {
  const workers = await startWorkers(app);
  try {
    return await look();
  } finally {
    await workers.stop();
  }
}

function sentBatches(account: string): Promise<{ state: string }[]> {
  return world.query(`SELECT state FROM batch WHERE account = $1 AND state = 'submitted'`, [account]);
}

function expectSent(account: string, batches: number): Promise<void> {
  return expect.poll(async () => (await sentBatches(account)).length, { interval: 20 }).toBe(batches);
}

describe('startWorkers', () => {
  it('takes a drop through every stage', async () => {
    const account = world.freshAccount();
    await whileWorking(async () => {
      await world.drop(`${account}/ach-charge`, 'june.csv', lines([achRow(1), achRow(2), achRow(3)]));
      await expectSent(account, 2);
    });
    expect(world.service.posts(agentCodeOf(account))).toBe(2);
    expect(Object.keys(await world.outputs('ack'))).toHaveLength(1);
  });

  it('goes on with what it finds in the ledger, without any job', async () => {
    const account = world.freshAccount();
    await world.takeInCharges(account, 4);
    await loseQueue(world.app);
    await whileWorking(() => expectSent(account, 2));
  });

  const forgottenSend = (account: string, fileId: string) =>
    world.app.journal.append({
      at: '2026-06-15T12:00:00.000Z',
      account,
      fileId,
      batchNo: 1,
      attempt: 1,
      sha256: 'a'.repeat(64),
    });

  it('sends nothing of an account whose journal is ahead of the ledger', async () => {
    const [forgetful, other] = [world.freshAccount(), world.freshAccount()];
    await forgottenSend(forgetful, await world.takeInCharges(forgetful, 2));
    await world.takeInCharges(other, 4);
    await whileWorking(() => expectSent(other, 2));
    expect(world.service.posts(agentCodeOf(forgetful))).toBe(0);
    expect(await readStop(world.app, forgetful)).toContain('the send journal knows');
  });

  it('compares the journal before anything else, also where nothing is sent', async () => {
    const account = world.freshAccount();
    await forgottenSend(account, await world.takeInCharges(account, 2));
    const workers = await startWorkers(world.app, new Set(['poll']));
    await workers.stop();
    expect(await readStop(world.app, account)).toContain('the send journal knows');
  });

  it('never sends a batch in doubt again', async () => {
    const [doubtful, other] = [world.freshAccount(), world.freshAccount()];
    const key = { fileId: await world.takeInCharges(doubtful, 4), batchNo: 1 };
    const unknown = { kind: 'unknown', why: 'reset', evidence: { bytesWritten: 1, bytesRead: 0 } } as const;
    await submitBatch(answering(world.app, unknown).app, key);
    await world.takeInCharges(other, 8);
    await whileWorking(() => expectSent(other, 4));
    expect(world.service.posts(agentCodeOf(doubtful))).toBe(0);
    expect((await world.storyOf(key)).state).toBe('unknown');
  });

  it('does not start when the first sweep fails', async () => {
    const cut = cutAtStatement(world.app, /FOR UPDATE SKIP LOCKED/);
    await expect(startWorkers(cut.app)).rejects.toThrow(POWER_CUT);
  });

  it('remembers that sweeps fail, and forgets it with one that succeeds', async () => {
    const health = startHealth(world.app.clock);
    let isAway = false;
    const heal = async () => {
      if (isAway) throw new PipelineError('QUEUE_UNREACHABLE', 'heal the queue');
    };
    const app = { ...world.app, health, queue: { ...world.app.queue, heal } };
    await whileWorking(async () => {
      isAway = true;
      await expect.poll(() => health.trouble?.code, { interval: 20 }).toBe('QUEUE_UNREACHABLE');
      isAway = false;
      await expect.poll(() => health.trouble, { interval: 20 }).toBeUndefined();
    }, app);
  });

  it('goes on after a later sweep has failed', async () => {
    const account = world.freshAccount();
    const fileId = await world.takeInCharges(account, 2);
    await world.query(`UPDATE batch SET not_before = now() + interval '4 minutes' WHERE file_id = $1`, [fileId]);
    await loseQueue(world.app);
    const cut = cutAtStatement(world.app, /FOR UPDATE SKIP LOCKED/, 1);
    await whileWorking(async () => {
      await expect.poll(cut.wasCut, { interval: 10 }).toBe(true);
      // Only a sweep can find out that the batch is due now.
      await world.query('UPDATE batch SET not_before = NULL WHERE file_id = $1', [fileId]);
      await expectSent(account, 1);
    }, cut.app);
    expect(world.logged).toContainEqual(expect.objectContaining({ level: 50, msg: `sweep failed: ${POWER_CUT}` }));
  });

  it('does not start without a drop folder, and sends nothing before it says so', async () => {
    const account = world.freshAccount();
    const folder = join(world.root, 'drop', account, 'card');
    await world.takeInCharges(account, 2);
    await rename(folder, `${folder}-gone`);
    await expect(startWorkers(world.app)).rejects.toMatchObject({ code: 'FOLDER_MISSING' });
    await rename(`${folder}-gone`, folder);
    expect(world.service.posts(agentCodeOf(account))).toBe(0);
  });
});

describe('stop', () => {
  it('waits for the call that is on its way, and begins no other', async () => {
    const account = world.freshAccount();
    const key = { fileId: await world.takeInCharges(account, 4), batchNo: 1 };
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      world.service.play(agentCodeOf(account), (socket, request) => {
        answer = () => take(socket, request);
        resolve();
      });
    });
    const workers = await startWorkers(world.app);
    await asked;
    let isStopped = false;
    const stopping = workers.stop().then(() => {
      isStopped = true;
    });
    await world.storyOf(key);
    expect(isStopped).toBe(false);
    answer();
    await stopping;
    expect((await world.storyOf(key)).state).toBe('submitted');
    expect(world.service.posts(agentCodeOf(account))).toBe(1);
  });
});
