import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { App } from '../../src/app.ts';
import { PipelineError } from '../../src/kernel/errors.ts';
import { startHealth } from '../../src/kernel/health.ts';
import { startWorkers } from '../../workers/main.ts';
import { submitStage } from '../../workers/submit/submit.ts';
import { achRow, CARD, lines } from '../support/payment-rows.ts';
import { take } from '../support/scripted-service.ts';
import { agentCodeOf, cutAtStatement, POWER_CUT, stepWorld } from './support/step-world.ts';
import { answering } from './support/scripted-gateway.ts';
import { dueOf } from './support/stage-steps.ts';
import { loseQueue, readStop } from './support/story.ts';
import { admitHere, isBarred } from '../../workers/admit-here.ts';
import { readFailing } from '../../src/ledger/alarm/note-failure.ts';
import { sweep } from '../../workers/upkeep/sweep.ts';
import { forceSql } from '../support/force-sql.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { note, noteEnd, noting, refreshFailing } from '../../workers/note-failures.ts';
import { openPipelineWorld } from '../support/pipeline-world.ts';
import { submitBatch } from '../support/work-alone.ts';

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

/** Adds a call to the send journal that the ledger does not know. */
function forgottenSend({ journal }: App, account: string, fileId: string): Promise<void> {
  const at = '2026-06-15T12:00:00.000Z';
  return journal.append({ at, account, fileId, batchNo: 1, attempt: 1, sha256: 'a'.repeat(64) });
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

  it('goes on with what it finds in the ledger, without any ring', async () => {
    const account = world.freshAccount();
    await world.takeInCharges(account, 4);
    await loseQueue(world.app);
    await whileWorking(() => expectSent(account, 2));
  });

  it('sends nothing of an account whose journal is ahead of the ledger', async () => {
    const [forgetful, other] = [world.freshAccount(), world.freshAccount()];
    await forgottenSend(world.app, forgetful, await world.takeInCharges(forgetful, 2));
    await world.takeInCharges(other, 4);
    await whileWorking(() => expectSent(other, 2));
    expect(world.service.posts(agentCodeOf(forgetful))).toBe(0);
    expect(await readStop(world.app, forgetful)).toContain('the send journal knows');
  });

  it('compares the journal before anything else, also where nothing is sent', async () => {
    const account = world.freshAccount();
    await forgottenSend(world.app, account, await world.takeInCharges(account, 2));
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

  it('leaves batches to other hosts while this host may not send, and takes them once it may', async () => {
    const account = world.freshAccount();
    const { app } = world;
    const setSender = (state: string) => forceSql(app, 'UPDATE sender SET state = $1', [state]);
    const work = whileWorking(async () => {
      await setSender('retired');
      await expect.poll(() => isBarred(app), { interval: 20 }).toBe(true);
      await world.drop(`${account}/ach-charge`, 'left.csv', lines([achRow(1), achRow(2), achRow(3)]));
      const isDue = async () => (await dueOf(app, submitStage())).some((due) => due.account === account);
      await expect.poll(isDue, { interval: 20 }).toBe(true);
      // Each sweep makes the stage look. What is due all the time was not even taken.
      const endsAt = performance.now() + 10 * app.settings.sweepMs;
      while (performance.now() < endsAt) {
        expect(await isDue()).toBe(true);
        await setTimeout(5);
      }
      expect(await sentBatches(account)).toEqual([]);
      await setSender('known');
      await expectSent(account, 2);
    });
    try {
      await work;
    } finally {
      await setSender('known');
    }
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
    expect(world.logged).toContainEqual(expect.objectContaining({ level: 'error', msg: `sweep failed: ${POWER_CUT}` }));
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

describe('admitHere', () => {
  const world = stepWorld({ accounts: 6 });

  const TAKEN = { kind: 'submitted', text: 'taken' } as const;

  it('finds nothing to say while journal and ledger agree', async () => {
    const account = world.freshAccount();
    const key = { fileId: await world.takeInCharges(account, 2), batchNo: 1 };
    await submitBatch(answering(world.app, { ...TAKEN, batchId: 'agreed' }).app, key);
    await admitHere(world.app);
    expect(await readStop(world.app, account)).toBeUndefined();
  });

  it('stops the account whose sends an older ledger has forgotten, and no other; nothing is sent again', async () => {
    const [forgetful, other] = [world.freshAccount(), world.freshAccount()];
    const keys = [];
    for (const account of [forgetful, other]) {
      const key = { fileId: await world.takeInCharges(account, 4), batchNo: 1 };
      await submitBatch(answering(world.app, { ...TAKEN, batchId: `sent-${account}` }).app, key);
      keys.push(key);
    }
    await restoreOlderLedger(keys[0]!.fileId);
    await admitHere(world.app);
    await admitHere(world.app);
    expect(await readStop(world.app, forgetful)).toMatch(/the send journal knows 1 call.* that the ledger does not/);
    expect(await readStop(world.app, other)).toBeUndefined();

    await sweep(world.app);
    const again = answering(world.app, { ...TAKEN, batchId: 'again' });
    await submitBatch(again.app, keys[0]!);
    expect(again.bodies).toEqual([]);
    await submitBatch(again.app, { ...keys[1]!, batchNo: 2 });
    expect(again.bodies).toHaveLength(1);
  });

  it('stops it for a file that the older ledger has never heard of', async () => {
    const account = world.freshAccount();
    await forgottenSend(world.app, account, 'zzzzzzzzzzzzzzzz');
    await admitHere(world.app);
    expect(await readStop(world.app, account)).toContain('2026-06-15T12:00:00.000Z');
  });

  it('tells everybody of what keeps this host alone from sending, for as long as it lasts', async () => {
    const [{ senders, epoch }] = (await world.query('SELECT senders, epoch FROM admission')) as [
      { senders: string[]; epoch: number },
    ];
    const set = 'UPDATE admission SET born = pg_current_xact_id(), senders = $1, epoch = $2';
    await forceSql(world.app, set, [['elsewhere'], epoch + 1]);
    for (let tries = 0; tries < 3; tries += 1) await admitHere(world.app);
    const [failing] = await readFailing(world.app.ledger);
    expect(failing).toMatchObject({ work: 'admit', subject: world.app.settings.host, failures: 3 });
    expect(failing!.reason).toMatch(/is not among the senders: elsewhere\. List all of them as "senders"/);

    await forceSql(world.app, set, [senders, epoch]);
    await admitHere(world.app);
    expect(await readFailing(world.app.ledger)).toEqual([]);
  });

  /** Deletes the attempt and makes the batch ready, as in a backup from before the send. */
  async function restoreOlderLedger(fileId: string): Promise<void> {
    await forceSql(world.app, 'DELETE FROM attempt WHERE file_id = $1', [fileId]);
    await forceSql(world.app, `UPDATE batch SET state = 'ready', batch_id = NULL WHERE file_id = $1`, [fileId]);
  }
});

describe('note failures', () => {
  const world = openedForTests(openPipelineWorld);

  const ITEM = { work: 'shred', subject: 'here' } as const;
  const failing = async () => (await readFailing(world.app.ledger)).map(({ subject, reason }) => ({ subject, reason }));
  const reject = async (error: Error) => {
    throw error;
  };
  const fail = async (error: Error) => {
    await expect(noting(world.app, ITEM, () => reject(error))).rejects.toBe(error);
  };

  describe('noting', () => {
    it('hands on results and errors, remembers what fails, and ends it with the first success', async () => {
      const error = new PipelineError('DISK_FULL', 'write the file');
      await fail(error);
      await fail(error);
      expect(await failing()).toEqual([]);
      await fail(error);
      expect(await failing()).toEqual([{ subject: 'here', reason: error.message }]);
      expect(await noting(world.app, ITEM, async () => 7)).toBe(7);
      expect(await failing()).toEqual([]);
    });

    it('keeps no number that stands in an error of others', async () => {
      for (let n = 0; n < 3; n += 1) await fail(new Error(`what is ${CARD} for?`));
      expect(JSON.stringify(await failing())).not.toMatch(/\d{5}/);
      await noteEnd(world.app, ITEM);
    });
  });

  describe('refreshFailing', () => {
    it('lets this process end what another has noted', async () => {
      for (let n = 0; n < 3; n += 1) await note(world.app, ITEM, { reason: 'x' }, 1_000);
      world.app.health.failing.clear();
      await noteEnd(world.app, ITEM);
      expect(await failing()).toHaveLength(1);
      await refreshFailing(world.app);
      await noteEnd(world.app, ITEM);
      expect(await failing()).toEqual([]);
    });
  });
});
