import { describe, expect, it } from 'vitest';
import { startHealth } from '../../../src/kernel/health.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { prepareBatch } from '../../../src/ledger/batch/prepare-batch.ts';
import { openLedger } from '../../../src/ledger/engine/open-ledger.ts';
import { giveBack, leaveAlone, take } from '../../../src/ledger/stage/taken.ts';
import { DELIVER, deliverFile } from '../../../workers/deliver/deliver.ts';
import { INTAKE } from '../../../workers/intake/intake.ts';
import { pollStage } from '../../../workers/poll/poll.ts';
import { runOnce, type Stage } from '../../../workers/stage.ts';
import { submitBatch, submitStage } from '../../../workers/submit/submit.ts';
import { longestCallMs, sweep } from '../../../workers/upkeep/sweep.ts';
import { takeClaim } from '../../../workers/watch/take-claim.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { carryOut } from '../support/resolve-context.ts';
import { answering, answeringUnasked } from '../support/scripted-gateway.ts';
import { cutAtStatement, stepWorld } from '../support/step-world.ts';
import { claimContent, loseQueue } from '../support/story.ts';

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
  const due = await stage.findDue(world.app, 1_000);
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
        const cut = cutAtStatement(world.app, /next_recheck_at = /);
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

  it('is not what a process works on, and is again once that gives it back or leaves it alone for long enough', async () => {
    const fileId = await world.takeInCharges(world.freshAccount(), 2);
    const { ledger } = world.app;
    expect(await take(ledger, 'deliver', [fileId])).toEqual(new Set([fileId]));
    expect(await stagesOf(fileId)).toEqual(['submit']);
    expect(await take(ledger, 'deliver', [fileId])).toEqual(new Set());
    await leaveAlone(ledger, 'deliver', [fileId], 60_000);
    expect(await stagesOf(fileId)).toEqual(['submit']);
    await leaveAlone(ledger, 'deliver', [fileId], -1);
    expect(await stagesOf(fileId)).toEqual(['deliver', 'submit']);
    await take(ledger, 'deliver', [fileId]);
    await giveBack(ledger, 'deliver', [fileId]);
    expect(await stagesOf(fileId)).toEqual(['deliver', 'submit']);
  });
});

describe('sweep, with what processes had taken', () => {
  it('gives back what a dead one had, at the start too', async () => {
    const fileId = await world.takeInCharges(world.freshAccount(), 4);
    const { account } = await world.file(fileId);
    for (const options of [{}, { atStart: true }]) {
      await world.query(
        `INSERT INTO taken (stage, subject, worker) VALUES ('deliver', $1, 'host-1-gone'), ('submit', $2, 'host-1-gone')`,
        [fileId, account],
      );
      expect(await stagesOf(fileId)).toEqual([]);
      await sweep(world.app, options);
      expect(await stagesOf(fileId)).toEqual(['deliver', 'submit']);
    }
  });

  it('leaves alone what a living one has until that is dead, and what this process works on', async () => {
    const [fileId, own] = [
      await world.takeInCharges(world.freshAccount(), 2),
      await world.takeInCharges(world.freshAccount(), 2),
    ];
    const { databaseUrl: url } = world.settings;
    const other = await openLedger({ url: url! }, { clock: world.app.clock, log: silentLog() });
    try {
      await take(other, 'deliver', [fileId]);
      await take(world.app.ledger, 'deliver', [own]);
      await sweep(world.app);
      expect([await stagesOf(fileId), await stagesOf(own)]).toEqual([['submit'], ['submit']]);
    } finally {
      await other.close();
    }
    const isFree = async () => {
      await sweep(world.app);
      return stagesOf(fileId);
    };
    await expect.poll(isFree, { interval: 20 }).toEqual(['deliver', 'submit']);
    expect(await stagesOf(own)).toEqual(['submit']);
    await giveBack(world.app.ledger, 'deliver', [own]);
  });

  it.each([
    ['could not be given back', /DELETE FROM taken/, deliverFile],
    ['failed and could not be left alone', /UPDATE taken/, () => Promise.reject(new Error('the ledger is away'))],
  ])('gives back what %s while the ledger was away', async (_what, statement, work) => {
    const fileId = await world.takeInCharges(world.freshAccount(), 2);
    const cut = cutAtStatement(world.app, statement);
    const only: Stage<{ fileId: string }> = {
      ...DELIVER,
      findDue: async () => [{ fileId }],
      workAlone: (_app, file) => work(world.app, file),
    };
    await runOnce(cut.app, only);
    expect(cut.wasCut()).toBe(true);
    await sweep(world.app);
    expect(await world.query('SELECT subject FROM taken WHERE subject = $1', [fileId])).toEqual([]);
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
    await take(world.app.ledger, 'deliver', [fileId]);
    await leaveAlone(world.app.ledger, 'deliver', [fileId], 86_400_000);
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
    const at = await pollStage().readNextDue!(world.app, world.app.clock.now());
    expect(at!.getTime()).toBeGreaterThan(Date.now() - 60_000);
    expect(at!.getTime()).toBeLessThanOrEqual(next!.getTime());
  });
});

describe('sweep, when a worker is gone', () => {
  it('leaves alone what a living worker holds', async () => {
    const key = { fileId: await world.takeInCharges(world.freshAccount(), 2), batchNo: 1 };
    const batch = await prepareBatch(world.app.ledger, key, 60_000);
    expect(batch).toBeDefined();
    await sweep(world.app);
    expect((await world.storyOf(key)).state).toBe('preparing');
  });

  it('takes back what a living worker has held for longer than its lease, and it is due again', async () => {
    const key = { fileId: await world.takeInCharges(world.freshAccount(), 2), batchNo: 1 };
    await loseQueue(world.app);
    await prepareBatch(world.app.ledger, key, 0);
    await sweep(world.app);
    expect(await stagesOf(key.fileId)).toEqual(['deliver', 'submit']);
    expect(await world.storyOf(key)).toMatchObject({ state: 'ready', moves: ['prepare', 'release'] });
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
