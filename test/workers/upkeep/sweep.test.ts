import { describe, expect, it } from 'vitest';
import { prepareBatch } from '../../../src/ledger/batch/prepare-batch.ts';
import { startHealth } from '../../../src/kernel/health.ts';
import { deliverFile } from '../../../workers/deliver/deliver.ts';
import { submitBatch } from '../../../workers/submit/submit.ts';
import { longestCallMs, sweep } from '../../../workers/upkeep/sweep.ts';
import { cutAtStatement } from '../support/failing-app.ts';
import { answering } from '../support/scripted-gateway.ts';
import { stepWorld } from '../support/step-world.ts';
import { jobIds, jobsAddedBy, loseQueue, query, storyOf } from '../support/story.ts';
import { takeInCharges } from '../support/take-in.ts';

/** The sweep never sends again what may have been sent, and sends what was not. */

const world = stepWorld({ accounts: 12 });

const TAKEN = { kind: 'submitted', batchId: '1', text: 'taken' } as const;

describe('sweep, when a worker is gone', () => {
  it('leaves alone what a living worker holds', async () => {
    const key = { fileId: await takeInCharges(world.app, world.freshAccount(), 2), batchNo: 1 };
    const batch = await prepareBatch(world.app.ledger, key, 60_000);
    expect(batch).toBeDefined();
    await sweep(world.app);
    expect((await storyOf(world.app, key)).state).toBe('preparing');
  });

  it('takes back what a living worker has held for longer than its lease, and asks for it', async () => {
    const key = { fileId: await takeInCharges(world.app, world.freshAccount(), 2), batchNo: 1 };
    await loseQueue(world.app);
    await prepareBatch(world.app.ledger, key, 0);
    expect(await jobsAddedBy(world.app, key.fileId, () => sweep(world.app))).toEqual(['deliver', 'submit-1']);
    expect(await storyOf(world.app, key)).toMatchObject({ state: 'ready', moves: ['prepare', 'release'] });
  });

  it('doubts a call that has gone on for longer than any call can, and asks for nothing', async () => {
    const key = { fileId: await takeInCharges(world.app, world.freshAccount(), 4), batchNo: 1 };
    await deliverFile(world.app, key);
    let answer = () => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    const scripted = answering(world.app, { ...TAKEN, batchId: 'late' });
    const gateway = scripted.app.gateway('');
    const slow: typeof gateway.submitBatch = async (call) => {
      const said = await gateway.submitBatch(call);
      await held;
      return said;
    };
    const submitting = submitBatch({ ...scripted.app, gateway: () => ({ ...gateway, submitBatch: slow }) }, key);
    await expect.poll(async () => (await storyOf(world.app, key)).state, { interval: 10 }).toBe('sending');
    await loseQueue(world.app);

    await sweep(world.app);
    expect((await storyOf(world.app, key)).state).toBe('sending');
    await query(
      world.app,
      `UPDATE batch SET lease_until = clock_timestamp() - $2 * interval '1 millisecond' WHERE file_id = $1`,
      [key.fileId, longestCallMs(world.app)],
    );
    await sweep(world.app);
    expect(await storyOf(world.app, key)).toMatchObject({
      state: 'unknown',
      attempts: [{ attempt: 1, verdict: 'unknown' }],
      maySend: false,
    });
    expect(await jobIds(world.app, key.fileId)).toEqual(new Set());

    answer();
    await submitting;
    expect(await storyOf(world.app, key)).toMatchObject({ state: 'unknown', batchId: null, maySend: false });
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
