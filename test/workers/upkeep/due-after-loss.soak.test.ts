import { declareNow } from '../../support/calls.ts';
import { describe, expect, it } from 'vitest';
import { startHealth } from '../../../src/kernel/health.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { dueNames } from '../../../src/ledger/batch/due-work.ts';
import { openLedger } from '../../../src/ledger/engine/open-ledger.ts';
import { DELIVER } from '../../../workers/deliver/deliver.ts';
import { INTAKE } from '../../../workers/intake/intake.ts';
import { pollStage } from '../../../workers/poll/poll.ts';
import { eachAlone, runOnce, type Stage, startStage, WorkingGroups } from '../../../workers/stage.ts';
import { submitStage } from '../../../workers/submit/submit.ts';
import { longestCallMs, sweep } from '../../../workers/upkeep/sweep.ts';
import { openGate } from '../../queue/support/queue-world.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { carryOut } from '../support/resolve-context.ts';
import { answering, answeringUnasked } from '../support/scripted-gateway.ts';
import { dueOf, endWait, nextDueOf, onlyOf, putTaken, takenOf } from '../support/stage-steps.ts';
import { cutAtStatement, stepWorld } from '../support/step-world.ts';
import { claimContent, loseQueue } from '../support/story.ts';
import { deliverFile, submitBatch, takeClaim } from '../../support/work-alone.ts';

const world = stepWorld({ accounts: 52 });

const TAKEN = { kind: 'submitted', batchId: '1', text: 'taken' } as const;

/** Every stage as it looks at the ledger, and how it names what it finds of a file. */
const STAGES: Record<string, (fileId: string) => Promise<string[]>> = {
  intake: async (fileId) => subjectsOf(INTAKE, fileId),
  submit: async (fileId) => subjectsOf(submitStage(), (await world.file(fileId)).account),
  poll: async (fileId) => subjectsOf(pollStage(), fileId),
  deliver: async (fileId) => subjectsOf(DELIVER, fileId),
};

async function subjectsOf<Thing>(stage: Stage<Thing>, of: string): Promise<string[]> {
  const due = await dueOf(world.app, stage);
  return due.map((thing) => stage.itemOf(thing).subject).filter((subject) => subject.split('/')[0] === of);
}

/** Returns the stages that find something of a file. */
async function stagesOf(fileId: string): Promise<string[]> {
  const found: string[] = [];
  for (const [name, find] of Object.entries(STAGES)) if ((await find(fileId)).length > 0) found.push(name);
  return found.sort();
}

describe('what is due, when the queue was lost', () => {
  const CASES: { stage: string; reach(account: string): Promise<string>; due: string[] }[] = [
    {
      stage: 'claimed',
      due: ['intake'],
      reach: async (account) => {
        const claim = await claimContent(world.app, `drop/${account}/ach-charge`, 'a.csv', lines([achRow(1)]));
        await takeClaim(world.app, claim);
        return claim.fileId;
      },
    },
    {
      stage: 'accepted',
      due: ['deliver', 'submit'],
      reach: (account) => world.takeInCharges(account, 4),
    },
    {
      stage: 'accepted, with its notice',
      due: ['submit'],
      reach: async (account) => {
        const fileId = await world.takeInCharges(account, 4);
        await deliverFile(world.app, { fileId });
        return fileId;
      },
    },
    {
      stage: 'submitted, at the time of its poll',
      due: ['deliver', 'poll', 'submit'],
      reach: async (account) => {
        const fileId = await world.takeInCharges(account, 4);
        await submitBatch(answering(world.app, { ...TAKEN, batchId: `id-${account}` }).app, { fileId, batchNo: 1 });
        await world.query(`UPDATE batch SET next_poll_at = now() - interval '1 s' WHERE file_id = $1`, [fileId]);
        return fileId;
      },
    },
    {
      stage: 'with a result that is not reconciled',
      due: ['deliver', 'poll'],
      reach: async (account) => {
        const fileId = await world.takeInCharges(account, 2);
        const cut = cutAtStatement(world.app, /COPY row_outcome/);
        await carryOut(cut.app, fileId, () => 'Received').catch(() => {});
        expect((await world.storyOf({ fileId, batchNo: 1 })).state).toBe('result_in');
        return fileId;
      },
    },
    {
      stage: 'reconciled',
      due: ['deliver'],
      reach: async (account) => {
        const fileId = await world.takeInCharges(account, 2);
        await carryOut(world.app, fileId, () => 'Received');
        return fileId;
      },
    },
    {
      stage: 'held',
      due: ['deliver'],
      reach: (account) => world.takeIn(`drop/${account}/ach-charge`, lines([achRow(1), achRow(2, { amount: 'x' })])),
    },
    {
      stage: 'rejected',
      due: ['deliver'],
      reach: (account) => world.takeIn(`drop/${account}/card`, 'no payment\n'),
    },
    {
      stage: 'completed',
      due: [],
      reach: async (account) => {
        const fileId = await world.takeInCharges(account, 2);
        await carryOut(world.app, fileId, () => 'Received');
        await deliverFile(world.app, { fileId });
        return fileId;
      },
    },
  ];

  it.each(CASES)('is found for a file that is $stage, without and with a sweep', async ({ reach, due }) => {
    const fileId = await reach(world.freshAccount());
    await loseQueue(world.app);
    expect(await stagesOf(fileId)).toEqual(due);
    await sweep(world.app);
    expect(await stagesOf(fileId)).toEqual(due);
    await sweep(world.app, { atStart: true });
    expect(await stagesOf(fileId)).toEqual(due);
  });

  it('is nothing of an account that may not send', async () => {
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
    for (const fileId of files) expect(await stagesOf(fileId)).toEqual([]);
  });

  it('is not what a process works on or left alone a moment ago, and is again after that', async () => {
    const fileId = await world.takeInCharges(world.freshAccount(), 2);
    await putTaken(world.app, { stage: 'deliver' }, fileId);
    expect(await stagesOf(fileId)).toEqual(['submit']);
    await putTaken(world.app, { stage: 'deliver', until: '1 minute' }, fileId);
    expect(await stagesOf(fileId)).toEqual(['submit']);
    await endWait(world.app, 'deliver', fileId);
    expect(await stagesOf(fileId)).toEqual(['deliver', 'submit']);
  });
});

describe('sweep, with what processes had taken', () => {
  it('gives back what a dead one had, at the start too', async () => {
    const fileId = await world.takeInCharges(world.freshAccount(), 4);
    const { account } = await world.file(fileId);
    for (const options of [{}, { atStart: true }]) {
      await putTaken(world.app, { stage: 'deliver', worker: 'host-1-gone' }, fileId);
      await putTaken(world.app, { stage: 'submit', worker: 'host-1-gone' }, account);
      expect(await stagesOf(fileId)).toEqual([]);
      await sweep(world.app, options);
      expect(await stagesOf(fileId)).toEqual(['deliver', 'submit']);
    }
  });

  it('leaves alone what a living one has, until that is dead', async () => {
    const fileId = await world.takeInCharges(world.freshAccount(), 2);
    const other = await openLedger({ url: world.settings.databaseUrl! }, { clock: world.app.clock, log: silentLog() });
    try {
      await putTaken(world.app, { stage: 'deliver', worker: other.instance.id }, fileId);
      await sweep(world.app);
      expect(await stagesOf(fileId)).toEqual(['submit']);
    } finally {
      await other.close();
    }
    const freed = async () => {
      await sweep(world.app);
      return stagesOf(fileId);
    };
    await expect.poll(freed, { interval: 20 }).toEqual(['deliver', 'submit']);
  });

  it('forgets what was left alone, once that has ended', async () => {
    const subjects = async () => (await takenOf(world.app, 'deliver')).map(({ subject }) => subject);
    await putTaken(world.app, { stage: 'deliver', until: '1 minute' }, 'waits');
    await endWait(world.app, 'deliver', 'over');
    await sweep(world.app);
    expect(await subjects()).toContain('waits');
    expect(await subjects()).not.toContain('over');
  });

  it('leaves alone what this process works on', async () => {
    const fileId = await world.takeInCharges(world.freshAccount(), 2);
    const [began, gate] = [openGate(), openGate()];
    const slow: Stage<{ fileId: string }> = {
      ...DELIVER,
      work: eachAlone(async (app, file) => {
        began.open();
        await gate.passed;
        await deliverFile(app, file);
      }),
    };
    const working = runOnce(world.app, onlyOf(slow, [{ fileId }]));
    await began.passed;
    await sweep(world.app);
    expect(await stagesOf(fileId)).toEqual(['submit']);
    expect(await runOnce(world.app, onlyOf(DELIVER, [{ fileId }]))).toBe(0);
    gate.open();
    expect(await working).toBe(1);
  });

  it('gives back what stands under the name of this process, which never heard that it has it', async () => {
    const fileId = await world.takeInCharges(world.freshAccount(), 2);
    await putTaken(world.app, { stage: 'deliver', worker: world.app.ledger.instance.id }, fileId);
    await sweep(world.app);
    expect(await stagesOf(fileId)).toEqual(['deliver', 'submit']);
  });
});

describe('a stage, when the ledger is away at the end of its work', () => {
  it.each([
    ['what has ended', deliverFile, []],
    ['what has failed', () => Promise.reject(new Error('no space')), [{ isWorkedOn: false }]],
  ])('does not keep %s', async (_what, work, left) => {
    const fileId = await world.takeInCharges(world.freshAccount(), 2);
    let times = 0;
    const stage: Stage<{ fileId: string }> = {
      ...DELIVER,
      findDue: () => dueNames(times === 0 ? [fileId] : []),
      work: eachAlone(async (_app, file) => {
        times += 1;
        await work(world.app, file);
      }),
    };
    // The first question takes the file, the second gives it back.
    const cut = cutAtStatement(world.app, /FROM take\(/, 1);
    const stopping = new AbortController();
    const runner = startStage(cut.app, stage, { hands: 1, stopping: stopping.signal, groups: new WorkingGroups() });
    try {
      await runner.wake();
      await expect.poll(cut.wasCut, { interval: 10 }).toBe(true);
      const taken = async () => (await takenOf(world.app, 'deliver')).filter(({ subject }) => subject === fileId);
      await expect.poll(taken, { interval: 20 }).toMatchObject(left);
      expect(times).toBe(1);
    } finally {
      stopping.abort();
      await runner.stop(60_000);
    }
  });
});

describe('what is due, when the clock of the host was set back', () => {
  it('is what was put off by a time that no wait can last to', async () => {
    const fileId = await world.takeInCharges(world.freshAccount(), 4);
    await deliverFile(world.app, { fileId });
    const put = (column: string, batchNo: number, interval: string) =>
      world.query(`UPDATE batch SET ${column} = now() + $3::interval WHERE file_id = $1 AND batch_no = $2`, [
        fileId,
        batchNo,
        interval,
      ]);
    await put('not_before', 1, '4 minutes');
    expect(await stagesOf(fileId)).toEqual([]);
    await put('not_before', 1, '1 day');
    expect(await stagesOf(fileId)).toEqual(['submit']);
    const { app } = answering(world.app, { ...TAKEN, batchId: `set-back-${fileId}` });
    await submitBatch(app, { fileId, batchNo: 1 });
    await put('not_before', 2, '4 minutes');
    await put('next_poll_at', 1, '2 days');
    expect(await stagesOf(fileId)).toEqual(['poll']);
  });

  it('is what was left alone by a clock that was far ahead', async () => {
    const fileId = await world.takeInCharges(world.freshAccount(), 2);
    await putTaken(world.app, { stage: 'deliver', until: '1 day' }, fileId);
    expect(await stagesOf(fileId)).toEqual(['deliver', 'submit']);
  });

  it('is no poll whose time has not come; the stage knows when that is', async () => {
    const fileId = await world.takeInCharges(world.freshAccount(), 2);
    await deliverFile(world.app, { fileId });
    const { app } = answering(world.app, { ...TAKEN, batchId: `not-due-${fileId}` });
    await submitBatch(app, { fileId, batchNo: 1 });
    await world.query(`UPDATE batch SET next_poll_at = now() + interval '10 minutes' WHERE file_id = $1`, [fileId]);
    expect(await stagesOf(fileId)).toEqual([]);
    const { next_poll_at: next } = await world.batch({ fileId, batchNo: 1 });
    const at = await nextDueOf(world.app, pollStage());
    expect(at!.getTime()).toBeGreaterThan(Date.now() - 60_000);
    expect(at!.getTime()).toBeLessThanOrEqual(next!.getTime());
  });
});

describe('sweep, when a worker is gone', () => {
  it('leaves alone what a living worker holds', async () => {
    const key = { fileId: await world.takeInCharges(world.freshAccount(), 2), batchNo: 1 };
    expect(await declareNow(world.app.ledger, key)).toBeDefined();
    await sweep(world.app);
    expect((await world.storyOf(key)).state).toBe('sending');
  });

  it('doubts a call that has gone on for longer than any call can, and nothing of it is due', async () => {
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
    expect(await stagesOf(key.fileId)).toEqual([]);

    answer();
    await submitting;
    expect(await world.storyOf(key)).toMatchObject({ state: 'unknown', batchId: null, maySend: false });
  });
});

describe('sweep, as a sign of life', () => {
  it('is noted when it came to its end, and not when it failed', async () => {
    const health = startHealth(world.app.clock);
    const { app } = cutAtStatement({ ...world.app, health }, /DELETE FROM taken/);
    await expect(sweep(app)).rejects.toThrow('power cut');
    expect(health.sweptAt).toBeUndefined();
    await sweep(app);
    expect(health.sweptAt).toBeDefined();
  });
});
