import { describe, expect, it } from 'vitest';
import type { QueueName } from '../../../schemas/jobs.ts';
import { deliverFile } from '../../../workers/deliver/deliver.ts';
import { submitBatch } from '../../../workers/submit/submit.ts';
import { longestCallMs, sweep } from '../../../workers/upkeep/sweep.ts';
import { takeClaim } from '../../../workers/watch/take-claim.ts';
import { JOB_KEYS } from '../../../workers/enqueue.ts';
import { openGate } from '../../queue/support/queue-world.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { carryOut } from '../support/resolve-context.ts';
import { cutAtStatement, stepWorld } from '../support/step-world.ts';
import { answering, answeringUnasked } from '../support/scripted-gateway.ts';
import { claimContent, jobIds, loseQueue, rungBy } from '../support/story.ts';
import { prepareBatch } from '../../../src/ledger/batch/prepare-batch.ts';
import { startHealth } from '../../../src/kernel/health.ts';

const world = stepWorld({ accounts: 52 });

const TAKEN = { kind: 'submitted', batchId: '1', text: 'taken' } as const;

describe('sweep, when jobs were lost', () => {
  const STAGES: { stage: string; reach(account: string): Promise<string>; asks: string[] }[] = [
    {
      stage: 'claimed',
      asks: ['intake'],
      reach: async (account) => {
        const claim = await claimContent(world.app, `drop/${account}/ach-charge`, 'a.csv', lines([achRow(1)]));
        await takeClaim(world.app, claim);
        return claim.fileId;
      },
    },
    {
      stage: 'accepted',
      asks: ['deliver', 'submit'],
      reach: (account) => world.takeInCharges(account, 4),
    },
    {
      stage: 'accepted, with its notice',
      asks: ['submit'],
      reach: async (account) => {
        const fileId = await world.takeInCharges(account, 4);
        await deliverFile(world.app, { fileId });
        return fileId;
      },
    },
    {
      stage: 'submitted',
      asks: ['deliver', 'poll', 'submit'],
      reach: async (account) => {
        const fileId = await world.takeInCharges(account, 4);
        await submitBatch(answering(world.app, { ...TAKEN, batchId: `id-${account}` }).app, { fileId, batchNo: 1 });
        return fileId;
      },
    },
    {
      stage: 'with a result that is not reconciled',
      asks: ['deliver', 'poll'],
      reach: async (account) => {
        const fileId = await world.takeInCharges(account, 2);
        const cut = cutAtStatement(world.app, /next_recheck_at = /);
        await carryOut(cut.app, fileId, () => 'Received').catch(() => {});
        expect((await world.storyOf({ fileId, batchNo: 1 })).state).toBe('result_in');
        return fileId;
      },
    },
    {
      stage: 'reconciled',
      asks: ['deliver'],
      reach: async (account) => {
        const fileId = await world.takeInCharges(account, 2);
        await carryOut(world.app, fileId, () => 'Received');
        return fileId;
      },
    },
    {
      stage: 'held',
      asks: ['deliver'],
      reach: (account) => world.takeIn(`drop/${account}/ach-charge`, lines([achRow(1), achRow(2, { amount: 'x' })])),
    },
    {
      stage: 'rejected',
      asks: ['deliver'],
      reach: (account) => world.takeIn(`drop/${account}/card`, 'no payment\n'),
    },
    {
      stage: 'completed',
      asks: [],
      reach: async (account) => {
        const fileId = await world.takeInCharges(account, 2);
        await carryOut(world.app, fileId, () => 'Received');
        await deliverFile(world.app, { fileId });
        return fileId;
      },
    },
  ];

  it.each(STAGES)('asks again for a file that is $stage, once', async ({ reach, asks }) => {
    const fileId = await reach(world.freshAccount());
    await loseQueue(world.app);
    expect(await jobIds(world.app, fileId)).toEqual(new Set());
    expect(await rungBy(() => sweep(world.app))).toEqual(asks);
    expect(await rungBy(() => sweep(world.app))).toEqual([]);
    expect(await rungBy(() => sweep(world.app, { atStart: true }))).toEqual([]);
  });

  it('asks for nothing of an account that may not send', async () => {
    const [doubtful, stopped, waiting] = [world.freshAccount(), world.freshAccount(), world.freshAccount()];
    const files = [];
    for (const account of [doubtful, stopped, waiting]) {
      const fileId = await world.takeInCharges(account, 4);
      await deliverFile(world.app, { fileId });
      files.push(fileId);
    }
    const unknown = { kind: 'unknown', why: 'reset', evidence: { bytesWritten: 1, bytesRead: 0 } } as const;
    await submitBatch(answering(world.app, unknown).app, { fileId: files[0]!, batchNo: 1 });
    await world.query(`INSERT INTO account_stop VALUES ($1, 'a person said so', now())`, [stopped]);
    await submitBatch(answeringUnasked(world.app, { kind: 'not_sent', why: 'refused' }), {
      fileId: files[2]!,
      batchNo: 1,
    });
    // The wait after the first try might end during this test.
    await world.query(`UPDATE batch SET not_before = now() + interval '4 minutes' WHERE file_id = $1`, [files[2]!]);
    await loseQueue(world.app);
    await sweep(world.app);
    for (const fileId of files) expect(await jobIds(world.app, fileId)).toEqual(new Set());
  });

  it('at the start does not count on jobs that look as if they were running', async () => {
    const fileId = await world.takeInCharges(world.freshAccount(), 2);
    await loseQueue(world.app);
    let began = () => {};
    let end = () => {};
    const running = new Promise<void>((resolve) => (began = resolve));
    const ended = new Promise<void>((resolve) => (end = resolve));
    await world.app.queue.add('deliver', `deliver-${fileId}-0123abcd`, { fileId });
    const stage = world.app.queue.work('deliver', 1, async (job) => {
      if (job.fileId === fileId) began();
      await ended;
    });
    await running;
    await sweep(world.app);
    expect((await idsOf('deliver')).filter((id) => id.includes(fileId))).toEqual([]);
    await sweep(world.app, { atStart: true });
    expect((await idsOf('deliver')).filter((id) => id.includes(fileId))).toHaveLength(1);
    end();
    await stage.close();
  });

  it('does not count on a running job for a batch that nobody has taken', async () => {
    const fileId = await world.takeInCharges(world.freshAccount(), 2);
    await loseQueue(world.app);
    const gate = openGate();
    const began = openGate();
    await world.app.queue.add('submit', `submit-${fileId}-1-0123abcd`, { fileId, batchNo: 1 });
    const stage = world.app.queue.work('submit', 1, async (job) => {
      if (job.fileId === fileId) began.open();
      await gate.passed;
    });
    await began.passed;
    await sweep(world.app);
    expect((await idsOf('submit')).filter((id) => id.includes(fileId))).toHaveLength(1);
    await sweep(world.app);
    expect((await idsOf('submit')).filter((id) => id.includes(fileId))).toHaveLength(1);
    gate.open();
    await stage.close();
  });
});

describe('sweep, when the clock of the host was set back', () => {
  const DAY_MS = 86_400_000;

  it.each(['submit', 'poll'] as const)('asks again to %s what is due although its job waits a day', async (name) => {
    const fileId = await world.takeInCharges(world.freshAccount(), 2);
    const key = { fileId, batchNo: 1 };
    if (name === 'poll') {
      await submitBatch(
        answering(world.app, { kind: 'submitted', batchId: `set-back-${name}`, text: 'taken' }).app,
        key,
      );
      await world.query(`UPDATE batch SET next_poll_at = now() - interval '1 minute' WHERE file_id = $1`, [fileId]);
    }
    await loseQueue(world.app);
    const batch = await world.batch(key);
    const jobKey = name === 'poll' ? JOB_KEYS.poll(batch) : JOB_KEYS.submit(key);
    await world.app.queue.add(name, `${jobKey}-0123abcd`, key, { delayMs: DAY_MS });
    const asked = await rungBy(() => sweep(world.app));
    expect(asked.filter((job) => job.startsWith(name))).toHaveLength(1);
    const again = await rungBy(() => sweep(world.app));
    expect(again.filter((job) => job.startsWith(name))).toEqual([]);
  });

  it('leaves a poll that is not due yet to its job', async () => {
    const fileId = await world.takeInCharges(world.freshAccount(), 2);
    await submitBatch(answering(world.app, { kind: 'submitted', batchId: 'not-due', text: 'taken' }).app, {
      fileId,
      batchNo: 1,
    });
    await loseQueue(world.app);
    await sweep(world.app);
    expect(await rungBy(() => sweep(world.app))).toEqual([]);
  });
});

async function idsOf(name: QueueName): Promise<string[]> {
  return [...(await world.app.queue.ids(name, 'waiting'))];
}

describe('sweep, when a worker is gone', () => {
  it('leaves alone what a living worker holds', async () => {
    const key = { fileId: await world.takeInCharges(world.freshAccount(), 2), batchNo: 1 };
    const batch = await prepareBatch(world.app.ledger, key, 60_000);
    expect(batch).toBeDefined();
    await sweep(world.app);
    expect((await world.storyOf(key)).state).toBe('preparing');
  });

  it('takes back what a living worker has held for longer than its lease, and asks for it', async () => {
    const key = { fileId: await world.takeInCharges(world.freshAccount(), 2), batchNo: 1 };
    await loseQueue(world.app);
    await prepareBatch(world.app.ledger, key, 0);
    expect(await rungBy(() => sweep(world.app))).toEqual(['deliver', 'submit']);
    expect(await world.storyOf(key)).toMatchObject({ state: 'ready', moves: ['prepare', 'release'] });
  });

  it('doubts a call that has gone on for longer than any call can, and asks for nothing', async () => {
    const key = { fileId: await world.takeInCharges(world.freshAccount(), 4), batchNo: 1 };
    await deliverFile(world.app, key);
    let answer = () => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    const scripted = answering(world.app, { ...TAKEN, batchId: 'late' });
    const gateway = scripted.app.gateway({ account: '', merchant_no: 0 });
    const slow: typeof gateway.submitBatch = async (call) => {
      const said = await gateway.submitBatch(call);
      await held;
      return said;
    };
    const submitting = submitBatch({ ...scripted.app, gateway: () => ({ ...gateway, submitBatch: slow }) }, key);
    await expect.poll(async () => (await world.storyOf(key)).state, { interval: 10 }).toBe('sending');
    await loseQueue(world.app);

    await sweep(world.app);
    expect((await world.storyOf(key)).state).toBe('sending');
    await world.query(
      `UPDATE batch SET lease_until = clock_timestamp() - $2 * interval '1 millisecond' WHERE file_id = $1`,
      [key.fileId, longestCallMs(world.app)],
    );
    await sweep(world.app);
    expect(await world.storyOf(key)).toMatchObject({
      state: 'unknown',
      attempts: [{ attempt: 1, verdict: 'unknown' }],
      maySend: false,
    });
    expect(await jobIds(world.app, key.fileId)).toEqual(new Set());

    answer();
    await submitting;
    expect(await world.storyOf(key)).toMatchObject({ state: 'unknown', batchId: null, maySend: false });
  });
});

describe('sweep, as a sign of life', () => {
  it('is noted when it came to its end, and not when it failed', async () => {
    const health = startHealth(world.app.clock);
    const { app } = cutAtStatement({ ...world.app, health }, /SELECT \* FROM batch/);
    await expect(sweep(app)).rejects.toThrow('power cut');
    expect(health.sweptAt).toBeUndefined();
    await sweep(app);
    expect(health.sweptAt).toBeDefined();
  });
});
